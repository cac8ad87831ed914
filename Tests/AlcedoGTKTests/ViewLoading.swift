#if GTK
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
        private let folder: TemporaryDirectory

        init() throws {
            server = try LoopbackServer()
            folder = try TemporaryDirectory()
            options = [
                .downloader(ImageDownloader(name: "gtk")),
                .targetCache(try ImageCache(name: "gtk", cacheDirectoryURL: folder.url)),
            ]
        }

        /// Serves an image as PNG; what is answered can be held back.
        func serve(_ image: Image, at path: String, until gate: Gate? = nil) -> URL {
            let reply = Reply(body: Array(image.kf.pngRepresentation() ?? Data()))
            server.serve(path, gate.map { reply.hold(.head, until: $0) } ?? reply)
            return server.url(path)
        }
    }
#endif
