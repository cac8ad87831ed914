import AlcedoAF
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import FoundationNetworking

import class AlcedoLocks.OneShot

/// A server and a downloader of one test's own, which keeps nothing but in memory.
struct AFLoading: Sendable {
    let server: LoopbackServer
    let cache = AutoPurgingImageCache()
    let downloader: ImageDownloader

    init(
        prioritization: ImageDownloader.DownloadPrioritization = .fifo,
        maximumActiveDownloads: Int = 4
    ) throws {
        server = try LoopbackServer()
        downloader = ImageDownloader(
            configuration: Self.configuration, downloadPrioritization: prioritization,
            maximumActiveDownloads: maximumActiveDownloads, imageCache: cache)
    }

    /// Of a session without a cache.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.af.ephemeral
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = 600
        return configuration
    }

    func request(_ path: String) -> URLRequest { URLRequest(url: server.url(path), timeoutInterval: 600) }

    /// Serves a picture that is `width` pixels wide; its responses can be held back.
    @discardableResult
    func serve(_ path: String, width: Int = 6, until gate: Gate? = nil) throws -> URLRequest {
        let reply = Reply(body: try Picture.png(width, 4), contentType: "image/png")
        server.serve(path, gate.map { reply.hold(.head, until: $0) } ?? reply)
        return request(path)
    }
}

/// Encoded pictures of one colour.
enum Picture {
    static func png(_ width: Int, _ height: Int) throws -> [UInt8] {
        try encoded(.make(width, height) { _, _ in red }, as: .png)
    }

    static func encoded(_ bitmap: Bitmap, as format: EncodedFormat) throws -> [UInt8] {
        try CodecRegistry.shared.encode(bitmap, as: format, options: EncodeOptions())
    }
}

typealias AFRecorder = Recorder<AFIDataResponse<Image>>

extension ImageDownloader {
    /// The result of a download.
    func response(
        to request: any URLRequestConvertible,
        cacheKey: String? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil
    ) async -> AFIDataResponse<Image> {
        let response = OneShot<AFIDataResponse<Image>, Never>()
        download(request, cacheKey: cacheKey, serializer: serializer, filter: filter) {
            response.finish(.success($0))
        }
        return await response.value()
    }
}
