import Alcedo
import Dispatch
import Foundation
import FoundationNetworking
import Harness

/// Downloads files as their bytes, all asked for at once; `.untouch` spares the way to the main queue.
func download(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 5000)
    let bytes = arguments.number("bytes", default: 0)
    let urls = try (0..<count).map { try url(arguments("base"), file: $0) }
    let downloader = ImageDownloader(name: "bench")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = arguments.number("connections", default: 16)
    downloader.sessionConfiguration = configuration
    downloader.trustedHosts = ["127.0.0.1"]
    let remaining = Countdown(count)
    let before = processorTime()
    let seconds = time {
        for url in urls {
            downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) { result in
                switch result {
                case .success(let loaded):
                    guard bytes == 0 || loaded.originalData.count == bytes else { fail("not the file") }
                case .failure(let error): fail("\(error)")
                }
                remaining.countDown()
            }
        }
        remaining.wait()
    }
    report([seconds], ["work": processorTime() - before])
}

func url(_ base: String, file index: Int) throws -> URL {
    let digits = String(repeating: "0", count: max(0, 5 - "\(index)".count)) + "\(index)"
    guard let url = URL(string: "\(base)/\(digits).jpeg") else { fail("no URL: \(base)") }
    return url
}
