#if GTK
    import AlcedoGTK
    import CGtk4
    import Foundation

    /// Draws a page of the window to a file after its images are loaded.
    @MainActor
    final class Screenshot {
        private let page: GalleryWindow.Page
        private let window: GalleryWindow
        private let file: String
        private var start: gint64?

        init(of page: GalleryWindow.Page, in window: GalleryWindow, photos: [Photo], file: String) {
            self.page = page
            self.window = window
            self.file = file
            onFrame(of: window.widget) { [weak self] time in self?.frame(at: time, photos) ?? false }
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
            guard elapsed > (page == .gallery ? 4 : 12) else { return true }
            draw()
            gtk_window_destroy(window.widget.cast())
            return false
        }

        private func draw() {
            let paintable = gtk_widget_paintable_new(window.widget)
            defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
            let snapshot = gtk_snapshot_new()
            gdk_paintable_snapshot(
                paintable, snapshot, Double(gtk_widget_get_width(window.widget)),
                Double(gtk_widget_get_height(window.widget)))
            guard let node = gtk_snapshot_free_to_node(snapshot),
                let renderer = gtk_native_get_renderer(gtk_widget_get_native(window.widget)),
                let texture = gsk_renderer_render_texture(renderer, node, nil)
            else { return }
            gdk_texture_save_to_png(texture, file)
            g_object_unref(UnsafeMutableRawPointer(texture))
            gsk_render_node_unref(node)
        }

    }
#endif
