#if GTK
    import CGtk4

    /// The dark style sheet of the gallery.
    enum Style {
        private static let sheet = """
            * { box-shadow: none; text-shadow: none; -gtk-icon-shadow: none; }
            window { background: #12171c; color: #dfe6ea; }
            headerbar { background: #12171c; border-bottom: 1px solid #1d252c; min-height: 46px; }
            .name { font-weight: 600; font-size: 15px; color: #f2a553; margin-left: 8px; }
            gridview { background: #12171c; padding: 8px; }
            gridview > child { padding: 5px; background: none; border-radius: 14px; outline: none; }
            gridview > child:hover { background: #1d252c; }
            .cell spinner { color: #7e95a1; }
            .panel { background: #171d23; border-left: 1px solid #1d252c; padding: 24px; }
            .page { padding: 32px; }
            .title { font-size: 22px; font-weight: 600; }
            .heading { font-size: 14px; font-weight: 600; }
            .quiet, .amount { color: #8fa3ae; font-size: 13px; }
            progressbar trough, levelbar trough, levelbar block.empty { background: #232c34; border-color: #232c34; }
            progressbar progress, levelbar block.filled { background: #18a0ae; border-color: #18a0ae; }
            levelbar block { min-height: 6px; border-radius: 3px; }
            switch:checked { background: #18a0ae; }
            """

        /// Applies the style to all windows of the display.
        @MainActor
        static func apply() {
            let settings = gtk_settings_get_default()
            var isDark = GValue()
            g_value_init(&isDark, g_type_from_name("gboolean"))
            g_value_set_boolean(&isDark, 1)
            g_object_set_property(
                UnsafeMutableRawPointer(settings)?.assumingMemoryBound(to: GObject.self),
                "gtk-application-prefer-dark-theme", &isDark)
            g_value_unset(&isDark)
            let provider = gtk_css_provider_new()
            gtk_css_provider_load_from_data(provider, sheet, -1)
            gtk_style_context_add_provider_for_display(
                gdk_display_get_default(), OpaquePointer(provider),
                guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
            g_object_unref(provider.map(UnsafeMutableRawPointer.init))
        }
    }
#endif
