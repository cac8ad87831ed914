import Alcedo
import AlcedoAF
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A session` {
    @Test func `a session uses the HTTP cache of its configuration, and no other cache`() throws {
        let configuration = AFLoading.configuration
        let cache = HTTPCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        configuration.urlCache = cache
        #expect(Session(configuration: configuration).sessionConfiguration.urlCache === cache)
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: "/")
        #expect(Session(configuration: configuration).sessionConfiguration.urlCache == nil)
        configuration.urlCache = nil
        #expect(Session(configuration: configuration).sessionConfiguration.urlCache == nil)
    }

    @Test func `a session shares URLCache.shared, which it makes an HTTP cache`() throws {
        let before = URLSessionConfiguration.default
        for configuration in [before, .default, before] {
            let session = Session(configuration: configuration)
            #expect(URLCache.shared is HTTPCache)
            #expect(session.sessionConfiguration.urlCache === URLCache.shared)
        }
    }

    @Test func `a session sends its requests and a downloader's by its transport`() async throws {
        let transport = MemoryTransport()
        let url = try #require(URL(string: "https://example.com/a.png"))
        transport.respond(
            to: url,
            with: ScriptedResponse(
                headers: [("Content-Type", "image/png")], body: Data(try Picture.png(5, 2))))
        let session = Session(
            configuration: AFLoading.configuration, startRequestsImmediately: false, transport: transport)
        let request = session.request(url)
        #expect(request.downloadProgress.totalUnitCount == 0)
        let data = request.serializingData()
        request.resume()
        #expect(try await data.value == Data(Picture.png(5, 2)))
        #expect(request.downloadProgress.fractionCompleted == 1)
        let downloader = AlcedoAF.ImageDownloader(session: session, imageCache: nil)
        #expect(await downloader.response(to: URLRequest(url: url)).value?.size.width == 5)
        #expect(transport.requests.count == 2)
    }

    @Test func `a session passes its trusted hosts to downloaders`() {
        let session = Session(configuration: AFLoading.configuration, startRequestsImmediately: false)
        session.trustedHosts = ["example.com"]
        #expect(AlcedoAF.ImageDownloader(session: session, imageCache: nil).trustedHosts == ["example.com"])
    }
}
