import Alcedo
import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

struct `A cache that purges itself` {
    /// Takes 4,000 bytes.
    private let image: Image
    private let cache = AutoPurgingImageCache(
        memoryCapacity: 40_000, preferredMemoryUsageAfterPurge: 20_000)

    init() throws {
        image = Image(bitmap: try .make(50, 20) { _, _ in red })
    }

    private func request(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    private func fill(_ range: Range<Int>) {
        for number in range { cache.add(image, withIdentifier: "\(number)") }
    }

    private var kept: [Int] { (0..<30).filter { cache.image(withIdentifier: "\($0)") != nil } }

    @Test func `a purging cache has AlamofireImage's capacities by default`() {
        let cache = AutoPurgingImageCache()
        #expect(cache.memoryCapacity == 100_000_000)
        #expect(cache.preferredMemoryUsageAfterPurge == 60_000_000)
        #expect(cache.memoryUsage == 0)
    }

    @Test func `a purging cache counts pixels, and has an image as soon as it is added`() {
        fill(0..<3)
        #expect(cache.memoryUsage == 12_000)
        #expect(cache.image(withIdentifier: "1") === image)
    }

    @Test func `a purging cache counts each decoded frame of an animation`() throws {
        let cache = AutoPurgingImageCache()
        let gif = Data(try Fixture.data("gif/fire.gif"))
        let moving = try #require(
            KingfisherWrapper.animatedImage(data: gif, options: .init(preloadAll: true)))
        let frames = try #require(moving.images)
        #expect(frames.count > 1)
        cache.add(moving, withIdentifier: "moving")
        #expect(cache.memoryUsage == UInt64(moving.pixelSize.area * 4 * frames.count))
        cache.add(try Image(decoding: gif), withIdentifier: "moving")
        #expect(cache.memoryUsage == UInt64(moving.pixelSize.area * 4))
    }

    @Test func `a purging cache keeps the preferred usage if the capacity is exceeded, not if reached`() {
        fill(0..<10)
        #expect(cache.memoryUsage == 40_000)
        #expect(kept.count == 10)
        cache.add(image, withIdentifier: "10")
        #expect(cache.memoryUsage == 20_000)
        #expect(kept == [6, 7, 8, 9, 10])
    }

    @Test func `a purging cache evicts what was used least recently, to the access`() {
        fill(0..<10)
        for number in [3, 0, 7] { _ = cache.image(withIdentifier: "\(number)") }
        cache.add(image, withIdentifier: "10")
        #expect(kept == [0, 3, 7, 9, 10])
    }

    @Test func `a purging cache replaces an image and its cost`() throws {
        cache.add(image, withIdentifier: "0")
        let small = Image(bitmap: try .make(10, 10) { _, _ in blue })
        cache.add(small, withIdentifier: "0")
        #expect(cache.memoryUsage == 400)
        #expect(cache.image(withIdentifier: "0") === small)
    }

    @Test func `a purging cache keeps the others when an image comes that is larger than the cache`() throws {
        fill(0..<3)
        let huge = Image(bitmap: try .make(101, 100) { _, _ in red })
        cache.add(huge, withIdentifier: "1")
        #expect(kept == [0, 2])
        #expect(cache.memoryUsage == 8_000)
    }

    @Test func `a purging cache keeps an image that is larger than what a purge leaves`() throws {
        fill(0..<10)
        cache.add(Image(bitmap: try .make(100, 60) { _, _ in red }), withIdentifier: "20")
        #expect(kept == [20])
        #expect(cache.memoryUsage == 24_000)
    }

    @Test func `a purging cache says whether there was something to remove`() {
        #expect(!cache.removeImage(withIdentifier: "0"))
        #expect(!cache.removeAllImages())
        fill(0..<2)
        #expect(cache.removeImage(withIdentifier: "0"))
        #expect(cache.image(withIdentifier: "0") == nil)
        #expect(cache.removeAllImages())
        #expect(cache.memoryUsage == 0)
    }

    @Test func `a purging cache names images by URL and identifier, whatever else a request says`() throws {
        var post = try request("http://x/1")
        #expect(cache.imageCacheKey(for: post, withIdentifier: nil) == "http://x/1")
        #expect(cache.imageCacheKey(for: post, withIdentifier: "circle") == "http://x/1-circle")
        cache.add(image, for: post, withIdentifier: "circle")
        post.httpMethod = "POST"
        #expect(cache.image(for: post, withIdentifier: "circle") === image)
        #expect(cache.image(withIdentifier: "http://x/1-circle") === image)
        #expect(cache.image(for: post) == nil)
        #expect(cache.removeImage(for: post, withIdentifier: "circle"))
    }

    @Test func `a purging cache removes all entries of one request, and none of its neighbours`() throws {
        let own = try request("http://x/1")
        let others = try ["http://x/10", "http://x/1-a", "http://x/1?a", "http://x/"].map(request)
        for request in [own] + others {
            cache.add(image, for: request)
            cache.add(image, for: request, withIdentifier: "filtered")
        }
        #expect(cache.removeImages(matching: own))
        #expect(cache.image(for: own) == nil)
        #expect(cache.image(for: own, withIdentifier: "filtered") == nil)
        for request in others {
            #expect(cache.image(for: request) === image)
            #expect(cache.image(for: request, withIdentifier: "filtered") === image)
        }
        #expect(!cache.removeImages(matching: own))
    }

    @Test func `a purging cache forgets the entries of a request when they are purged`() throws {
        let own = try request("http://x/1")
        cache.add(image, for: own, withIdentifier: "filtered")
        fill(0..<10)
        #expect(!cache.removeImages(matching: own))
    }

    @Test func `a purging cache uses the keys of a subclass`() throws {
        // Safe because it adds nothing.
        final class ByPath: AutoPurgingImageCache, @unchecked Sendable {
            override func imageCacheKey(for request: URLRequest, withIdentifier identifier: String?) -> String
            {
                "\(identifier ?? "")|\(request.url?.path ?? "")"
            }
        }
        let cache = ByPath()
        cache.add(image, for: try request("http://x/1?token=a"), withIdentifier: "f")
        #expect(cache.image(for: try request("http://x/1?token=b"), withIdentifier: "f") === image)
        #expect(cache.removeImages(matching: try request("http://x/1")))
    }

    @Test func `a purging cache holds its limit while many threads use it`() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { [cache, image] in
                    for number in 0..<500 {
                        cache.add(image, withIdentifier: "\((number * 7 + worker) % 30)")
                        _ = cache.image(withIdentifier: "\(number % 30)")
                        if number % 50 == 0 { cache.removeImage(withIdentifier: "\(number % 30)") }
                    }
                }
            }
        }
        #expect(cache.memoryUsage <= 40_000)
        #expect(cache.memoryUsage == UInt64(kept.count * 4_000))
    }

    @Test func `a purging cache can't evict more than it holds`() async {
        await #expect(processExitsWith: .failure) {
            _ = AutoPurgingImageCache(memoryCapacity: 1, preferredMemoryUsageAfterPurge: 2)
        }
    }
}
