import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import Foundation

/// A view without a display, and a server for it.
@MainActor
struct ViewFixture {
    let loading: Loading
    let surface = HeadlessSurface()
    let view: ImageView

    init() throws {
        loading = try Loading()
        view = ImageView(surface: surface)
    }

    var server: LoopbackServer { loading.server }

    /// What keeps a test's loads to itself.
    var own: KingfisherOptionsInfo { [.downloader(loading.downloader), .targetCache(loading.cache)] }

    /// Serves a picture that is `width` pixels wide; what it answers can be held back.
    func serve(_ path: String, width: Int, until gate: Gate? = nil) throws -> URL {
        let png = try Sample.png(width, 4)
        if let gate {
            server.serve(path, Reply(body: Payload(png)).hold(.head, until: gate))
        } else {
            server.serve(path, png)
        }
        return server.url(path)
    }
}

typealias ViewResult = Result<RetrieveImageResult, KingfisherError>

extension Image {
    static func plain(_ width: Int = 2) throws -> Image { Image(bitmap: try Sample.bitmap(width, 4)) }
}

extension Optional<Image> {
    var width: Int? { self?.pixelSize.width }
}
