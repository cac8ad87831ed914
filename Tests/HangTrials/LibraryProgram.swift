import Alcedo
import AlcedoTestSupport
import Foundation

/// A program of somebody's that loads a picture, without Swift's tasks.
enum LibraryProgram {
    /// Prints what came of the load; returns 0 if there is an image.
    static func load(_ address: String) -> Int32 {
        do {
            let folder = try TemporaryDirectory()
            defer { withExtendedLifetime(folder) {} }
            guard let url = URL(string: address) else { return 2 }
            let cache = try ImageCache(name: "trial", cacheDirectoryURL: folder.url)
            let manager = KingfisherManager(downloader: ImageDownloader(name: "trial"), cache: cache)
            let isDone = DispatchSemaphore(value: 0)
            manager.retrieveImage(with: url, options: [.callbackQueue(.untouch), .waitForCache]) { result in
                switch result {
                case .success(let value): say("image from \(value.cacheType)")
                case .failure(let error): FileHandle.standardError.write(Data("\(error)\n".utf8))
                }
                isDone.signal()
            }
            isDone.wait()
            return 0
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 1
        }
    }
}
