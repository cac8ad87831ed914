import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A subclass` {
    /// Safe because it adds a constant only.
    private final class Counting: ImageDownloader, @unchecked Sendable {
        let name: String

        init(name: String) {
            self.name = name
            super.init(configuration: AFLoading.configuration, imageCache: nil)
        }
    }

    /// Safe because it has no state.
    private final class Lenient: ImageResponseSerializer, @unchecked Sendable {
        override func validateContentType(for request: URLRequest?, response: HTTPURLResponse?) throws {}
    }

    @Test
    func `a subclass of a downloader has a configuration, and gets several images`() async throws {
        let server = try LoopbackServer()
        server.serve("/a", try Picture.png(6, 4), contentType: "image/png")
        server.serve("/b", try Picture.png(6, 4), contentType: "image/png")
        let downloader = Counting(name: "mine")
        let requests = ["/a", "/b"].map { URLRequest(url: server.url($0), timeoutInterval: 600) }
        let done = CallCounter()
        downloader.download(requests) { response in
            if response.value != nil { done.increment() }
        }
        await done.waitFor(2)
    }

    @Test func `a subclass of a serializer decides which types it takes`() async throws {
        let server = try LoopbackServer()
        server.serve("/a", try Picture.png(6, 4), contentType: "text/plain")
        let session = Session(configuration: AFLoading.configuration)
        let request = session.request(server.address("/a"))
        #expect(try await request.serializingResponse(using: Lenient()).value.size.width == 6)
        let strict = session.request(server.address("/a")).serializingImage()
        #expect(await strict.response.error?.responseContentType == "text/plain")
    }
}
