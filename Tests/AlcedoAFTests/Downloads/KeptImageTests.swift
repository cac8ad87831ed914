import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(10)))
struct `Responses that became no image` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let session: Session
    let downloader: AlcedoAF.ImageDownloader
    private let fresh = [("Cache-Control", "max-age=3600")]

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        let configuration = AFLoading.configuration
        configuration.urlCache = HTTPCache(
            memoryCapacity: 1 << 20, diskCapacity: 1 << 24, directory: folder.url, timeout: .seconds(1000))
        session = Session(configuration: configuration)
        downloader = AlcedoAF.ImageDownloader(configuration: configuration, imageCache: nil)
    }

    private func failures() throws -> [Reply] {
        let image = try Picture.png(40, 40)
        return [
            Reply(body: Array("<html>".utf8), contentType: "image/png", headers: fresh),
            Reply(contentType: "image/png", headers: fresh),
            Reply(body: Array(image.dropLast(20)), contentType: "image/png", headers: fresh).withoutLength(),
            Reply(body: image, contentType: "text/plain", headers: fresh),
            Reply(status: 404, body: image, contentType: "image/png", headers: fresh),
        ]
    }

    @Test(arguments: 0..<5)
    func `responses that became no image are not kept by a downloader`(index: Int) async throws {
        let good = Reply(body: try Picture.png(6, 4), contentType: "image/png", headers: fresh)
        server.serve("/a", try failures()[index], good)
        let request = URLRequest(url: server.url("/a"), timeoutInterval: 600)
        #expect(await downloader.response(to: request).value == nil)
        for _ in 0..<2 { #expect(await downloader.response(to: request).value?.pixelSize.width == 6) }
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: 0..<5)
    func `responses that became no image are not kept by a session`(index: Int) async throws {
        let good = Reply(body: try Picture.png(6, 4), contentType: "image/png", headers: fresh)
        server.serve("/a", try failures()[index], good)
        for (count, width) in [(1, nil), (2, 6), (2, 6)] {
            let request = session.request(server.address("/a")).validate()
            #expect(await request.serializingImage().response.value?.pixelSize.width == width)
            #expect(server.requestCount() == count)
        }
    }
}
