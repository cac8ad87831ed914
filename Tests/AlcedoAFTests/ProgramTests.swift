import AlcedoAF
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Programs written for AlamofireImage` {
    let loading: AFLoading

    init() throws {
        loading = try AFLoading()
        try loading.serve("/a.png")
    }

    @Test func `programs for AlamofireImage load with a response handler`() async throws {
        let size = await withCheckedContinuation { continuation in
            loadWithResponseHandler(loading.server.address("/a.png")) { continuation.resume(returning: $0) }
        }
        #expect(size == CGSize(width: 6, height: 4))
    }

    @Test func `programs for AlamofireImage load by awaiting`() async throws {
        #expect(try await loadWithConcurrency(loading.server.url("/a.png")).size.width == 6)
        await #expect(throws: AFError.self) { try await loadWithConcurrency(loading.server.url("/none")) }
    }

    @Test func `programs for AlamofireImage load with a downloader and a filter`() async throws {
        let size = await withCheckedContinuation { continuation in
            _ = loadWithDownloader(loading.downloader, loading.server.url("/a.png")) {
                continuation.resume(returning: $0)
            }
        }
        #expect(size == CGSize(width: 10, height: 10))
    }

    @Test func `programs for AlamofireImage cache images and change them`() throws {
        let image = Image(bitmap: try .make(12, 10) { _, _ in red })
        #expect(useCache(image, loading.server.url("/a.png")))
        let sizes = useImages(image).map(\.size)
        #expect(sizes.map(\.width) == [8, 8, 8, 12, 10, 12, 12])
        #expect(sizes.map(\.height) == [6, 6, 6, 10, 10, 10, 10])
    }
}
