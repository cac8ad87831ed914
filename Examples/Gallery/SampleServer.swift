import Alcedo
import AlcedoCodecs
import AlcedoSamples
import AlcedoTestSupport
import Foundation

/// Serves the sample images on loopback, some of them slowly, so the gallery needs no network.
final class SampleServer {
    let photos: [Photo]

    private let server: LoopbackServer

    /// Starts the server; the first run draws the images.
    ///
    /// - Parameters:
    ///   - count: the number of photos; photos share images but have different URLs.
    ///   - folder: stores the images for later runs.
    /// - Throws: errors of the file system or a codec.
    init(count: Int, folder: URL) throws {
        let samples = try SampleFolder(folder.appendingPathComponent("gallery", isDirectory: true))
        let large = try LargeSamples(folder.appendingPathComponent("gallery-large", isDirectory: true))
        if samples.missingCount > 0 {
            let notice = "gallery: drawing \(samples.missingCount) images (first run only)\n"
            FileHandle.standardError.write(Data(notice.utf8))
        }
        try samples.makeMissing {}
        try large.make(of: samples)
        let server = try LoopbackServer()
        for name in samples.fileNames {
            let quick = Reply(body: Array(try samples.data(of: name)))
            let slow = quick.delay(by: .milliseconds(900))
            server.route("/\(name)") { request in
                (request.target.split(separator: "=").last.flatMap { Int($0) } ?? 0) % 9 == 4 ? slow : quick
            }
            let bytes = Array(try large.data(of: name) ?? samples.data(of: name))
            let drip = Reply(body: bytes).drip(bytes.count / 30, every: .milliseconds(80))
            server.serve("/large/\(name)", drip)
        }
        self.server = server
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

    /// A resource whose cache key excludes the port, because the port changes between runs.
    private static func resource(_ target: String, on server: LoopbackServer) -> KF.ImageResource {
        KF.ImageResource(downloadURL: server.url(target), cacheKey: "sample:" + target)
    }

    private static func title(of fileName: String) -> String {
        let name = fileName.prefix { $0 != "." }.replacingOccurrences(of: "-turned", with: "")
        return name.split { "-_".contains($0) }.joined(separator: " ").capitalized
    }
}
