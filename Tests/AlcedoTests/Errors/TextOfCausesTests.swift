import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

private struct Spoken: LocalizedError {
    var errorDescription: String? { "The album is locked." }
}

@Suite(.timeLimit(.minutes(10)))
struct `The text of an error's cause` {
    let loading: Loading

    init() throws { loading = try Loading() }

    private func text(_ source: Source, _ options: KingfisherOptionsInfo = []) async -> String {
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(with: source, options: options)
        }
        return error?.localizedDescription ?? ""
    }

    @Test
    func `an error's text has what a provider, an interceptor or a processor has thrown`() async throws {
        struct Provider: ImageDataProvider {
            let cacheKey = "provider"
            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                handler(.failure(Spoken()))
            }
        }
        struct Processor: ThrowingImageProcessor {
            let identifier = "spoken"
            func process(
                item: ImageProcessItem, options: KingfisherParsedOptionsInfo, context: ImageProcessingContext
            ) throws -> KFCrossPlatformImage {
                throw Spoken()
            }
        }
        let raw = Source.provider(RawImageDataProvider(data: Data(try Sample.png(2, 2)), cacheKey: "raw"))
        let interceptor = Interceptor { _, _ in throw Spoken() }
        #expect(await text(.provider(Provider())).hasSuffix(": The album is locked."))
        #expect(await text(raw, [.processor(Processor())]).hasSuffix(": The album is locked."))
        #expect(await text(raw, [.interceptors([interceptor])]).hasSuffix(": The album is locked."))
    }

    @Test func `an error's text has what Foundation's error says, without its dictionary`() {
        let text = CocoaError(.fileNoSuchFile).sentence
        #expect(!text.contains("UserInfo") && !text.contains("CocoaError"))
        #expect(URLError(.timedOut).sentence == "\(URLError(.timedOut))")
    }

    @Test
    func `an error's text has the reason of Alcedo's processor that a program's own calls`() async throws {
        struct Delegating: ImageProcessor {
            let identifier = "delegating"
            func process(
                item: ImageProcessItem, options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? {
                DefaultImageProcessor.default.process(item: item, options: options)
            }
        }
        let damaged = Data(try Sample.png(40, 40).prefix(60))
        let source = Source.provider(RawImageDataProvider(data: damaged, cacheKey: "damaged"))
        let plain = await text(source)
        #expect(plain.hasPrefix("Could not decode the image: "))
        #expect(await text(source, [.processor(Delegating())]) == plain)
    }

    @Test func `the error's text for a path that is no URL says how to make one`() async throws {
        let url = try #require(URL(string: "/a.jpg"))
        #expect(await text(.network(url)).contains("URL(fileURLWithPath:)"))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `What is printed of a result` {
    @Test
    func `what is printed of a result or request is short, without signatures or headers`() async throws {
        let loading = try Loading()
        let reply = Reply(body: try Sample.png(2, 2), contentType: "image/png")
        loading.server.serve("/a", reply.header("X-Secret", "geheim"))
        let source = Source.network(loading.server.url("/a?token=geheim"))
        let result = try await loading.manager.retrieveImage(with: source)
        let loaded = try await loading.downloader.downloadImage(with: loading.server.url("/a?token=geheim"))
        let request = TransportRequest(url: loading.server.url("/a?token=geheim")) {
            $0.headers = [("Authorization", "Bearer geheim")]
            $0.credential = TransportCredential(user: "anna", password: "geheim")
        }
        let printed: [Any] = [
            result, Result<RetrieveImageResult, KingfisherError>.success(result), loaded, source, request,
            result.metrics as Any, request.credential as Any, [source],
            KingfisherParsedOptionsInfo([.lowDataMode(source)]),
            Base64ImageDataProvider(base64String: "geheim", cacheKey: "https://example.com/?token=geheim"),
        ]
        for value in printed {
            let text = "\(value)"
            #expect(!text.contains("geheim") && text.utf8.count < 300, "\(text)")
        }
        #expect("\(result)".hasPrefix("Image 2×2, loaded from http://127.0.0.1:"))
    }
}
