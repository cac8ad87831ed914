import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking

@testable import Alcedo

/// A server of one image of about 300 KB, and downloaders that resume.
struct Resuming {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let image: [UInt8]
    let downloads: ResumableDownloads
    var url: URL { server.url("/a") }

    init(byteLimit: Int = 1 << 24, now: @escaping @Sendable () -> Date = { Date() }) throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        image = try Self.noise(seed: 1)
        downloads = ResumableDownloads(
            PartialFolder(
                path: folder.file("partial").path, byteLimit: byteLimit, expiration: 1_000, now: now,
                timeout: { _, _ in {} }))
    }

    /// A PNG that can't be compressed.
    static func noise(seed: UInt64) throws -> [UInt8] {
        var builder = try PixelBuilder(size: PixelSize(width: 300, height: 340), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            var state = seed
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 40)
            }
        }
        return try CodecRegistry.shared.encode(builder.freeze(), as: .png, options: EncodeOptions())
    }

    /// A downloader with a network thread's state of its own, as in another process.
    ///
    /// One with a session delegate has partial responses of its own, as it may accept other certificates.
    func downloader(
        _ downloads: ResumableDownloads? = nil, delegate: SessionDelegate? = nil
    ) -> ImageDownloader {
        let downloader = ImageDownloader(name: "resuming")
        downloader.downloadTimeout = 120
        downloader.resumableDownloads = downloads ?? self.downloads
        if let delegate { downloader.sessionDelegate = delegate }
        return downloader
    }

    /// The store that another process would open.
    func reopened() -> ResumableDownloads {
        downloads.waitForDisk()
        return ResumableDownloads(withoutTimeoutIn: folder.file("partial"))
    }

    /// The whole image, with a validator.
    func whole(_ headers: [(String, String)] = [("ETag", "\"1\"")]) -> Reply {
        Reply(body: Payload(image), headers: headers)
    }

    /// What a good server sends to a request for a range.
    static func rest(
        _ request: ReceivedRequest, of body: [UInt8], _ headers: [(String, String)] = [("ETag", "\"1\"")]
    ) -> Reply {
        guard let range = request.header("Range"), let start = Int(range.dropFirst(6).dropLast()) else {
            return Reply(body: body, headers: headers)
        }
        return Reply(
            status: 206, body: Array(body[start...]),
            headers: headers + [("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")])
    }

    /// Breaks the first response off after so many bytes, and gives the replies of `then` after that.
    func serve(
        cut: Int, _ headers: [(String, String)] = [("ETag", "\"1\"")],
        then: (@Sendable (ReceivedRequest) -> Reply)? = nil
    ) {
        let (first, image, count) = (whole(headers).cut(after: cut), image, CallCounter())
        server.route("/a") { request in
            if count.increment() == 1 { return first }
            return then?(request) ?? Self.rest(request, of: image, headers)
        }
    }

    /// The image by a new downloader; nil if that fails.
    func load(
        _ downloads: ResumableDownloads? = nil, _ options: KingfisherOptionsInfo = [],
        delegate: SessionDelegate? = nil
    ) async -> [UInt8]? {
        let downloader = downloader(downloads, delegate: delegate)
        let result = try? await downloader.downloadImage(with: url, options: options)
        return result.map { [UInt8]($0.originalData) }
    }

    /// The `Range` of each request.
    var ranges: [String?] { server.requests().map { $0.header("Range") } }

    /// The files that are left, once the disk is done.
    func files() -> [String] {
        downloads.waitForDisk()
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.file("partial").path)) ?? []
    }
}

/// Counts the bytes that arrive.
///
/// Safe because it adds nothing that changes.
final class ByteCounter: SessionDelegate, @unchecked Sendable {
    let bytes = CallCounter()

    override func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        bytes.increment(by: data.count)
    }
}
