import Alcedo
import Foundation
import FoundationNetworking
import Harness

/// The same page of pictures by hand: URLSession, files through FileManager, Alcedo's own codecs on as many threads as
/// there are cores, and with `cached=1` an NSCache before all that.
func gallery(_ arguments: Arguments) throws {
    let names = try String(contentsOfFile: arguments("list"), encoding: .utf8).split(separator: "\n")
    let gallery = Gallery(
        folder: URL(fileURLWithPath: arguments("folder"), isDirectory: true),
        isCached: arguments.number("cached", default: 0) == 1)
    try FileManager.default.createDirectory(at: gallery.folder, withIntermediateDirectories: true)
    let urls = names.compactMap { URL(string: "\(arguments("base"))/\($0)") }
    func pass() -> Double {
        let remaining = Countdown(urls.count)
        return time {
            for url in urls { gallery.load(url) { _ in remaining.countDown() } }
            remaining.wait()
        }
    }
    // Without a cache in memory, all that it can do the second time is to read the files again.
    guard arguments("state") == "memory", gallery.isCached else {
        let before = processorTime()
        return report([pass()], ["work": processorTime() - before])
    }
    _ = pass()
    report((0..<10).map { _ in pass() })
}

/// Safe because all of it is made once, and what changes, NSCache and the queue, locks by itself.
private final class Gallery: @unchecked Sendable {
    let folder: URL
    let isCached: Bool
    private let memory = NSCache<NSString, Image>()
    private let session: URLSession
    private let workers = OperationQueue()

    init(folder: URL, isCached: Bool) {
        self.folder = folder
        self.isCached = isCached
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 16
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
        workers.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    }

    func load(_ url: URL, then done: @escaping @Sendable (Image) -> Void) {
        if isCached, let image = memory.object(forKey: NSString(string: url.absoluteString)) {
            return done(image)
        }
        let file = folder.appendingPathComponent(url.lastPathComponent, isDirectory: false)
        let manager = FileManager.default
        if manager.fileExists(atPath: file.path) {
            workers.addOperation { [self] in
                guard let attributes = try? manager.attributesOfItem(atPath: file.path),
                    let expiry = attributes[.modificationDate] as? Date, expiry > Date(),
                    let data = try? Data(contentsOf: file)
                else { fail("no file") }
                done(process(data, of: url))
            }
            return
        }
        session.dataTask(with: url) { [self] data, _, error in
            guard let data else { fail("no data: \(error.map { "\($0)" } ?? "")") }
            workers.addOperation { [self] in
                let now = Date()
                do {
                    try data.write(to: file, options: .atomic)
                    try manager.setAttributes(
                        [.creationDate: now, .modificationDate: now.addingTimeInterval(7 * 86_400)],
                        ofItemAtPath: file.path)
                } catch { fail("\(error)") }
                done(process(data, of: url))
            }
        }.resume()
    }

    private func process(_ data: Data, of url: URL) -> Image {
        let size = CGSize(width: 200, height: 200)
        guard let image = KingfisherWrapper<Image>.downsampledImage(data: data, to: size, scale: 1),
            (try? image.bitmap()) != nil
        else { fail("no image") }
        if isCached { memory.setObject(image, forKey: NSString(string: url.absoluteString)) }
        return image
    }
}
