import Alcedo
import AlcedoCodecs
import AlcedoSamples
import AlcedoTestSupport
import Foundation

/// Serves the sample images on loopback, some of them slowly, so the gallery needs no network.
final class SampleServer {
    let photos: [Photo]

    private let server: LoopbackServer
    private let samples: SampleFolder
    private let prepared = PreparedReplies()

    /// Starts the server; it draws an image when it is first requested.
    ///
    /// - Parameters:
    ///   - count: the number of photos; photos share images but have different URLs.
    ///   - folder: stores the images for later runs.
    /// - Throws: errors of the file system or a codec.
    init(count: Int, folder: URL) throws {
        let samples = try SampleFolder(folder.appendingPathComponent("gallery", isDirectory: true))
        let large = try LargeSamples(
            folder.appendingPathComponent("gallery-large", isDirectory: true), of: samples)
        let server = try LoopbackServer()
        for name in samples.fileNames {
            server.route("/\(name)") { [prepared] request in
                let reply = prepared.reply(for: name, target: request.target) {
                    Reply(body: Array(try samples.data(of: name)))
                }
                let number = request.target.split(separator: "=").last.flatMap { Int($0) } ?? 0
                return number % 9 == 4 ? reply.delay(by: .milliseconds(900)) : reply
            }
            server.route("/large/\(name)") { [prepared] request in
                prepared.reply(for: "large/\(name)", target: request.target) {
                    let bytes = Array(try large.data(of: name))
                    return Reply(body: bytes).drip(bytes.count / 30, every: .milliseconds(80))
                }
            }
        }
        self.server = server
        self.samples = samples
        // A step coprime to the number of files makes neighbours differ.
        let names = samples.fileNames
        photos = (0..<count).map { number in
            let name = names[number * 37 % names.count]
            return Photo(
                title: Self.title(of: name),
                thumbnail: Self.resource("/\(name)?photo=\(number)", on: server),
                large: Self.resource("/large/\(name)?photo=\(number)", on: server))
        }
    }

    deinit { server.stop() }

    /// Serves a reply that is made when it is first requested, and returns its URL.
    func add(_ path: String, make: @escaping @Sendable () throws -> Reply) -> URL {
        route(path) { [prepared] request in
            prepared.reply(for: path, target: request.target, make: make)
        }
    }

    /// Serves a path, and returns its URL.
    func route(_ path: String, _ handler: @escaping @Sendable (ReceivedRequest) -> Reply) -> URL {
        server.route(path, handler)
        return server.url(path)
    }

    /// Draws all images now, for measurements.
    func drawAll() throws { try samples.makeMissing {} }

    /// A resource whose cache key excludes the port, because the port changes between runs.
    private static func resource(_ target: String, on server: LoopbackServer) -> KF.ImageResource {
        KF.ImageResource(downloadURL: server.url(target), cacheKey: "sample:" + target)
    }

    private static func title(of fileName: String) -> String {
        let name = fileName.prefix { $0 != "." }.replacingOccurrences(of: "-turned", with: "")
        return name.split { "-_".contains($0) }.joined(separator: " ").capitalized
    }
}
