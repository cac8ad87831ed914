import Alcedo
import Foundation
import FoundationNetworking
import Harness

/// A page of pictures, each from its URL to 200 pixels: `state` says which cache has them already.
///
/// What is loaded counts as done when the disk has it too.
func gallery(_ arguments: Arguments) throws {
    let urls = try galleryURLs(arguments)
    let disk = try DiskStorage.Backend<Data>(config: diskConfig(arguments))
    let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 1 << 30))
    let downloader = ImageDownloader(name: "bench")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 16
    downloader.sessionConfiguration = configuration
    let manager = KingfisherManager(
        downloader: downloader, cache: ImageCache(memoryStorage: memory, diskStorage: disk))
    let processor = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
    manager.defaultOptions = [
        .processor(processor), .callbackQueue(.untouch), .waitForCache, .backgroundDecode,
    ]
    func pass() -> Double {
        let remaining = Countdown(urls.count)
        return time {
            for url in urls {
                manager.retrieveImage(with: url) { result in
                    guard case .success(let value) = result, (try? value.image.bitmap()) != nil else {
                        fail("\(result)")
                    }
                    remaining.countDown()
                }
            }
            remaining.wait()
        }
    }
    guard arguments("state") == "memory" else {
        let before = processorTime()
        return report([pass()], ["work": processorTime() - before])
    }
    _ = pass()
    report((0..<10).map { _ in pass() })
}

func galleryURLs(_ arguments: Arguments) throws -> [URL] {
    let names = try String(contentsOfFile: arguments("list"), encoding: .utf8).split(separator: "\n")
    return names.map { name in
        guard let url = URL(string: "\(arguments("base"))/\(name)") else { fail("no URL: \(name)") }
        return url
    }
}
