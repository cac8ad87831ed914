#if GTK
    import CGtk4

    enum Style {
        private static let sheet = """
            .message { padding: 12px 18px; border-radius: 12px; margin: 24px; }
            """

        /// Applies the style to all windows of the display.
        @MainActor
        static func apply() {
            let provider = gtk_css_provider_new()
            alcedo_gtk_css_provider_load(provider, sheet)
            gtk_style_context_add_provider_for_display(
                gdk_display_get_default(), OpaquePointer(provider),
                guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
            g_object_unref(provider.map(UnsafeMutableRawPointer.init))
        }
    }
#endif
