import Alcedo
import Dispatch
import Foundation
import Harness

/// When the program began: the first thing that it does is to make one.
struct Launch {
    let time = now()
    let processor = threadTime()
}

/// The first image from a cache folder that has many: from the program's first line until its pixels are there.
///
/// `caller` is the processor time that this thread takes for it, in milliseconds; `loading` what loading the program and
/// its libraries took before that.
func startup(_ arguments: Arguments) throws {
    let disk = try DiskStorage.Backend<Data>(config: diskConfig(arguments))
    let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 100 << 20))
    let manager = KingfisherManager(
        downloader: .default, cache: ImageCache(memoryStorage: memory, diskStorage: disk))
    let key = "https://example.com/first.jpeg"
    guard let url = URL(string: key) else { fail("no URL") }
    if let path = arguments.optional("fill") {
        try disk.store(value: try Data(contentsOf: URL(fileURLWithPath: path)), forKey: key)
        return report([0])
    }
    let shown = DispatchSemaphore(value: 0)
    manager.retrieveImage(with: url, options: [.callbackQueue(.untouch), .onlyFromCache, .backgroundDecode]) {
        result in
        guard case .success(let value) = result, (try? value.image.bitmap()) != nil else { fail("\(result)") }
        shown.signal()
    }
    shown.wait()
    let (time, processor) = (now() - launch.time, threadTime() - launch.processor)
    report([time], ["caller ms": processor * 1e3, "loading ms": launch.processor * 1e3])
}
