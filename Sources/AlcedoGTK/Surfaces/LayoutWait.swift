#if GTK
    import CGtk4

    /// Waits until a mapped widget has been laid out.
    @MainActor
    final class LayoutWait {
        private let widget: UnsafeMutablePointer<GtkWidget>
        private var tick: guint = 0
        private var frames = 0
        private var body: (@MainActor () -> Void)?

        var hasEnded: Bool { body == nil }

        /// Calls `body` once, after the layout of the next frame of the display, or when the wait is ended.
        init(for widget: UnsafeMutablePointer<GtkWidget>, then body: @escaping @MainActor () -> Void) {
            self.widget = widget
            self.body = body
            // GTK retains this object until the callback is removed.
            tick = gtk_widget_add_tick_callback(
                widget,
                { _, _, context in
                    guard let context else { return 0 }
                    let wait = Unmanaged<LayoutWait>.fromOpaque(context).takeUnretainedValue()
                    return MainActor.assumeIsolated { wait.advance() } ? 1 : 0
                },
                Unmanaged.passRetained(self).toOpaque(),
                { context in
                    guard let context else { return }
                    let wait = Unmanaged<LayoutWait>.fromOpaque(context).takeRetainedValue()
                    MainActor.assumeIsolated {
                        wait.tick = 0
                        wait.end()
                    }
                }
            )
        }

        /// Ends with the second tick, as a frame's tick comes before its layout; true to go on.
        private func advance() -> Bool {
            frames += 1
            guard frames > 1 else { return true }
            tick = 0
            end()
            return false
        }

        /// Calls the body at once, unless it was called.
        func end() {
            guard let body = body.take() else { return }
            if tick != 0 { gtk_widget_remove_tick_callback(widget, exchange(&tick, with: 0)) }
            body()
        }
    }
#endif
