import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `An error's text` {
    let loading: Loading
    var url: URL { loading.server.url("/a") }

    init() throws { loading = try Loading() }

    private func texts(_ error: KingfisherError) -> [String] {
        [
            error.description, error.localizedDescription, String(describing: error),
            String(reflecting: error), error.errorDescription ?? "",
            (error as NSError).localizedDescription,
        ]
    }

    @Test
    func `an error's text gives the reason why decoding failed, not that of another attempt`() async throws {
        loading.server.serve("/a", try Sample.png(40, 30))
        var limits = DecodeLimits()
        limits.pixelsPerFrame = 100
        let caught = await kingfisherError { [limits] in
            try await loading.manager.retrieveImage(with: url, options: [.decodeLimits(limits)])
        }
        let error = try #require(caught)
        for text in texts(error) { #expect(text.contains("1200") && text.contains("100")) }
    }

    @Test func `an error's text says that the pixels are damaged`() async throws {
        var png = Data(try Fixture.data("pngsuite/png/basn6a08.png"))
        for index in 60..<90 { png[index] ^= 0xff }
        let provider = RawImageDataProvider(data: png, cacheKey: "damaged")
        let processor = BlurImageProcessor(blurRadius: 3) |> TintImageProcessor(tint: .red)
        for source in [Source.provider(provider), .network(url)] {
            loading.server.serve("/a", [UInt8](png))
            let caught = await kingfisherError {
                try await loading.manager.retrieveImage(with: source, options: [.processor(processor)])
            }
            let error = try #require(caught)
            #expect(error.errorCode == 4001)
            for text in texts(error) { #expect(text.contains("is damaged")) }
        }
    }

    @Test func `printing an error decodes nothing`() async throws {
        let codec = HeldCodec(name: "printed")
        codec.gate.open()
        CodecRegistry.shared.register(codec)
        loading.server.serve("/a", codec.bytes)
        let caught = await kingfisherError {
            try await loading.manager.retrieveImage(with: url, options: [.processor(RefusingProcessor())])
        }
        let error = try #require(caught)
        for text in texts(error) { #expect(text.contains("refusing could not process")) }
        var dumped = ""
        dump(error, to: &dumped)
        #expect(codec.decoded.value == 0)
    }
}
