import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// What a program can see of the cache, without `@testable`.
@Suite struct `A program's own subclass of ImageCache` {
    /// Safe because it adds nothing.
    private final class OwnCache: ImageCache, @unchecked Sendable {
        override func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
            handler?()
        }
    }

    @Test func `a program's own subclass of ImageCache has the initialisers of ImageCache`() throws {
        let folder = try TemporaryDirectory()
        let cache = try OwnCache(name: "own", cacheDirectoryURL: folder.url)
        #expect(cache.diskStorage.directoryURL.path.hasPrefix(folder.url.path))
        let make: (String) -> OwnCache = OwnCache.init(name:)
        _ = make
    }
}
