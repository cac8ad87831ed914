#if GTK
    import ExampleWidgets

    /// The style sheet of the gallery, in the colours of the desktop's theme, light or dark.
    enum Style {
        private static let sheet = """
            * { text-shadow: none; -gtk-icon-shadow: none; }
            .name { font-weight: 600; font-size: 1.1em; color: #c9701a; margin-left: 8px; }
            gridview { background: @theme_bg_color; padding: 0 3px 8px 3px; }
            gridview > child { padding: 5px; background: none; border-radius: 14px; outline: none; }
            gridview > child:hover, gridview > child:focus-visible { background: alpha(@theme_fg_color, 0.1); }
            .card { background: alpha(@theme_fg_color, 0.08); border-radius: 10px; }
            .caption { font-size: 0.9em; color: alpha(@theme_fg_color, 0.75); }
            .panel { background: alpha(@theme_fg_color, 0.05); padding: 24px; }
            .page { padding: 32px; }
            .tiles { padding: 24px; }
            .title { font-size: 1.6em; font-weight: 600; }
            .heading { font-size: 1.05em; font-weight: 600; }
            .quiet, .amount { color: alpha(@theme_fg_color, 0.75); font-size: 0.95em; }
            progressbar trough, levelbar trough, levelbar block.empty {
                background: alpha(@theme_fg_color, 0.1); border-color: transparent; }
            progressbar progress, levelbar block.filled { background: #18a0ae; border-color: #18a0ae; }
            levelbar block { min-height: 6px; border-radius: 3px; }
            switch:checked { background: #18a0ae; }
            """

        /// Applies the style to all windows of the display.
        @MainActor
        static func apply() {
            ColorScheme.follow()
            applyStyle(sheet)
        }
    }
#endif
