#if GTK
    import Alcedo
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.timeLimit(.minutes(10))) struct `The last visible window` {
        /// In a process of its own, where no other test has windows.
        @Test func `the last visible window frees memory when it is hidden`() async {
            await #expect(processExitsWith: .success) { try await Hiding.freesMemory() }
        }

        @Test
        func `a view of a widget is told when the widget's window is hidden and shown`() async throws {
            let window = try Window { ImageView() }
            let shown = try #require(window.view.surface as? WidgetSurface)
            try await window.run { shown.isVisible }
            let surface = PictureSurface(picture: shown.content)
            var changes: [Bool] = []
            surface.visibilityChanged = { changes.append($0) }
            window.setVisible(false)
            try await window.run { !changes.isEmpty }
            window.setVisible(true)
            try await window.run { changes == [false, true] }
        }
    }

    @MainActor
    private enum Hiding {
        static func freesMemory() async throws {
            let folder = try TemporaryDirectory()
            let cache = try ImageCache(name: "hidden", cacheDirectoryURL: folder.url)
            cache.trimsAutomatically = true
            let window = try Window { ImageView() }
            let surface = try #require(window.view.surface as? WidgetSurface)
            try await window.run { surface.isVisible }
            cache.store(try Sample.plain(8, 8, 1, 2, 3), forKey: "a", toDisk: false, completionHandler: nil)
            window.setVisible(false)
            try await window.run { cache.memoryStorageCacheCost == 0 }
        }
    }
#endif
