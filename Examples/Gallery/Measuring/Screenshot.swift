#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Draws a page of the window to a file after its images are loaded.
    @MainActor
    final class Screenshot {
        private let page: GalleryWindow.Page
        private let window: GalleryWindow
        private let file: String
        private var start: gint64?

        /// Whether the file is complete.
        private(set) var isWritten = false

        init(of page: GalleryWindow.Page, in window: GalleryWindow, photos: [Photo], file: String) {
            self.page = page
            self.window = window
            self.file = file
            let tiles = window.tilePage(page)
            // Never shows the grid.
            if tiles != nil { window.show(page) }
            onFrame(of: window.widget) { [weak self] time in
                guard let self else { return false }
                return tiles.map { self.frame(at: time, $0) } ?? frame(at: time, photos)
            }
        }

        /// Draws the page after its last transition.
        private func frame(at time: gint64, _ tiles: TilePage) -> Bool {
            guard tiles.isFinished else { return true }
            if start == nil { start = time }
            guard time - (start ?? time) > 1_000_000 else { return true }
            isWritten = draw(window.widget, to: file)
            guard isWritten else { return true }
            print(tiles.report, terminator: "")
            gtk_window_destroy(window.widget.cast())
            return false
        }

        private func frame(at time: gint64, _ photos: [Photo]) -> Bool {
            if start == nil { start = time }
            let elapsed = Double(time - (start ?? time)) / 1e6
            // Scrolls the grid first, to fill the caches.
            if page == .cache, elapsed < 8 {
                gtk_adjustment_set_value(window.grid.adjustment, elapsed * 1200)
                return true
            }
            guard elapsed > 4 else { return true }
            if page != .gallery, gtk_widget_get_mapped(window.grid.widget) != 0 {
                window.show(page)
                if page == .detail {
                    photos.first { $0.title == "Ridges At Dusk" }.map(window.detail.show)
                }
            }
            let end = page == .gallery ? 4.0 : 12
            guard elapsed > end else { return true }
            isWritten = draw(window.widget, to: file)
            // A window whose layout is not up to date draws nothing; the next frame does.
            guard isWritten || elapsed > end + 3 else { return true }
            gtk_window_destroy(window.widget.cast())
            return false
        }
    }
#endif
