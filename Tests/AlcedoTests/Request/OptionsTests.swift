import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

struct `Options` {
    @Test func `the later of two items for one option wins`() {
        let parsed = KingfisherParsedOptionsInfo([.scaleFactor(2), .scaleFactor(3), .forceRefresh])
        #expect(parsed.scaleFactor == 3)
        #expect(parsed.forceRefresh)
    }

    @Test func `default options are Kingfisher's`() {
        let parsed = KingfisherParsedOptionsInfo(nil)
        #expect(parsed.downloadPriority == URLSessionTask.defaultPriority)
        #expect(parsed.scaleFactor == 1)
        #expect(parsed.processor.identifier.isEmpty)
        #expect(parsed.targetCache == nil && parsed.originalCache == nil && parsed.downloader == nil)
    }

    @Test func `the cache of originals is the target cache unless options name one`() throws {
        let directory = try TemporaryDirectory()
        let cache = try ImageCache(name: "options", cacheDirectoryURL: directory.url)
        #expect(KingfisherParsedOptionsInfo([.targetCache(cache)]).originalCache === cache)
    }
}

struct `Keys` {
    @Test func `a network URL's cache key is its absolute string`() throws {
        let url = try #require(URL(string: "https://example.org/a.png?w=1#x"))
        #expect(url.cacheKey == "https://example.org/a.png?w=1#x")
        #expect(KF.ImageResource(downloadURL: url, cacheKey: "mine").cacheKey == "mine")
    }

    @Test(arguments: [
        ("file:///tmp/a.png", "//tmp/a.png"), ("file:///a%20b/c.png?w=1", "//a b/c.png?w=1"),
        ("file:///x/My.app/a.png", "My.app/a.png"),
        ("file:///x/My.app/PlugIns/B.appex/a.png?q=%20", "B.appex/a.png?q=%20"),
    ])
    func `a file's cache key is its path components, counted from a bundle on`(url: String, key: String)
        throws
    {
        #expect(try #require(URL(string: url)).cacheKey == "kingfisher.local.cacheKey/" + key)
    }

    @Test func `sources are equal by kind, key and address`() throws {
        let url = try #require(URL(string: "https://example.org/a.png"))
        let other = KF.ImageResource(downloadURL: url, cacheKey: "other")
        #expect(Source.network(url) == url.convertToSource())
        #expect(Source.network(url) != Source.network(other))
        #expect(Set([Source.network(url), Source.network(url), Source.network(other)]).count == 2)
    }
}

struct `Errors` {
    @Test func `error codes are Kingfisher's`() {
        #expect(KingfisherError.requestError(reason: .emptyRequest).errorCode == 1001)
        #expect(KingfisherError.imageSettingError(reason: .emptySource).errorCode == 5001)
        #expect(KingfisherError.cacheError(reason: .imageNotExisting(key: "k")).errorCode == 3006)
        #expect(KingfisherError.domain == "com.onevcat.Kingfisher.Error")
    }

    @Test func `an error's description is one line that names what failed`() {
        let error = KingfisherError.cacheError(reason: .imageNotExisting(key: "https://example.org/a.png"))
        #expect(error.localizedDescription.contains("https://example.org/a.png"))
        #expect(!error.description.contains("\n"))
    }
}
