import AlcedoGTK
import AlcedoTestSupport
import Foundation

typealias ViewResult = Result<RetrieveImageResult, KingfisherError>

extension Result {
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// A server, and what keeps a test's loads to itself.
struct ViewLoading {
    let server: LoopbackServer
    let options: KingfisherOptionsInfo
    let folder: TemporaryDirectory

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        let downloader = ImageDownloader(name: "gtk")
        // Many tests share two cores, and all of these the main thread: none may depend on a time-out.
        downloader.downloadTimeout = 600
        options = [
            .downloader(downloader),
            .targetCache(try ImageCache(name: "gtk", cacheDirectoryURL: folder.url)),
        ]
    }

    /// Serves an image as PNG; the response can be held back.
    func serve(_ image: Image, at path: String, until gate: Gate? = nil) -> URL {
        let reply = Reply(body: Array(image.kf.pngRepresentation() ?? Data()))
        server.serve(path, gate.map { reply.hold(.head, until: $0) } ?? reply)
        return server.url(path)
    }

    /// A declared image whose results are recorded.
    @MainActor
    func image(_ url: URL?, _ results: Recorder<ViewResult>) -> KFImage {
        let options = KingfisherParsedOptionsInfo(self.options)
        var image = KFImage(url)
        if let cache = options.targetCache { image = image.targetCache(cache) }
        if let downloader = options.downloader { image = image.downloader(downloader) }
        return image.onSuccess { results.append(.success($0)) }.onFailure { results.append(.failure($0)) }
    }
}
