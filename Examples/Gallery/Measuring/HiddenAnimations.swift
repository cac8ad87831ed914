#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Plays animations in a window, hides it, and measures the processor time of both.
    @MainActor
    enum HiddenAnimations {
        static func run(count: Int, seconds: Double) throws {
            let data = try Data(Fixture.data("gif/fire.gif"))
            let window: Widget = gtk_window_new()
            let grid: Widget = gtk_flow_box_new()
            let views = (0..<count).map { _ in AnimatedImageView() }
            for view in views {
                view.image = Image(data: data, scale: 1)
                gtk_widget_set_size_request(view.widget, 60, 60)
                gtk_flow_box_insert(OpaquePointer(grid), view.widget, -1)
            }
            gtk_window_set_default_size(window.cast(), 900, 700)
            gtk_window_set_child(window.cast(), grid)
            gtk_window_present(window.cast())
            let shown = measured(seconds)
            let playing = views.count { $0.animator?.deadline != nil }
            gtk_widget_set_visible(window, 0)
            // What has begun ends.
            _ = measured(0.5)
            let hidden = measured(seconds)
            print(
                """
                playing           \(playing) of \(count) while shown
                processor, ms/s   \(text(shown, seconds)) shown, \(text(hidden, seconds)) hidden
                """)
            gtk_window_destroy(window.cast())
        }

        /// The processor time that the main loop and all other threads take in some seconds.
        private static func measured(_ seconds: Double) -> Double {
            let start = Usage.processorSeconds
            let loop = g_main_loop_new(nil, 0)
            g_timeout_add(
                guint(seconds * 1000),
                { loop in
                    g_main_loop_quit(loop.map(OpaquePointer.init))
                    return 0
                }, UnsafeMutableRawPointer(loop))
            g_main_loop_run(loop)
            g_main_loop_unref(loop)
            return Usage.processorSeconds - start
        }

        private static func text(_ processor: Double, _ seconds: Double) -> String {
            String(format: "%.2f", processor * 1000 / seconds)
        }
    }
#endif
