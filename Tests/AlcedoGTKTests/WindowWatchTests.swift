#if GTK
    import Alcedo
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.timeLimit(.minutes(2))) struct `The last visible window` {
        @Test func `frees memory when it is hidden`() async throws {
            let folder = try TemporaryDirectory()
            let cache = try ImageCache(name: "hidden", cacheDirectoryURL: folder.url)
            cache.trimsAutomatically = true
            let window = try Window { ImageView() }
            let surface = try #require(window.view.surface as? WidgetSurface)
            try await window.run { surface.isVisible }
            cache.store(try Sample.plain(8, 8, 1, 2, 3), forKey: "a", toDisk: false, completionHandler: nil)
            // Other tests may have windows too: then it is the last of them.
            window.setVisible(false)
            try await window.run { cache.memoryStorageCacheCost == 0 }
        }
    }
#endif
