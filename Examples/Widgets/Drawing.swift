#if GTK
    import CGtk4

    /// Draws a window that is shown to a PNG file, and says whether it was written.
    @MainActor
    package func draw(_ window: Widget, to file: String) -> Bool {
        let paintable = gtk_widget_paintable_new(window)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(
            paintable, snapshot, Double(gtk_widget_get_width(window)), Double(gtk_widget_get_height(window)))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return false }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(gtk_widget_get_native(window)),
            let texture = gsk_renderer_render_texture(renderer, node, nil)
        else { return false }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        return gdk_texture_save_to_png(texture, file) != 0
    }
#endif
