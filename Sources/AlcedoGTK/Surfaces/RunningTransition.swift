#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A transition on its way, in step with the frames of the display.
    @MainActor
    final class RunningTransition {
        private let transition: ViewTransition
        private let widget: UnsafeMutablePointer<GtkWidget>
        private let paintable: ImagePaintable
        private var tick: guint = 0
        private var start: gint64?
        private var completion: (@MainActor (Bool) -> Void)?

        /// Begins with the next frame of the display.
        init(
            _ transition: ViewTransition,
            on widget: UnsafeMutablePointer<GtkWidget>,
            paintable: ImagePaintable,
            completion: @escaping @MainActor (Bool) -> Void
        ) {
            self.transition = transition
            self.widget = widget
            self.paintable = paintable
            self.completion = completion
            paintable.transition = (transition.style, 0)
            // GTK holds on to it until the callback is removed.
            tick = gtk_widget_add_tick_callback(
                widget,
                { _, clock, context in
                    guard let context else { return 0 }
                    let running = Unmanaged<RunningTransition>.fromOpaque(context).takeUnretainedValue()
                    let time = gdk_frame_clock_get_frame_time(clock)
                    return MainActor.assumeIsolated { running.advance(to: time) } ? 1 : 0
                },
                Unmanaged.passRetained(self).toOpaque(),
                { context in
                    guard let context else { return }
                    Unmanaged<RunningTransition>.fromOpaque(context).release()
                }
            )
        }

        /// Draws the next frame; false at the end.
        private func advance(to time: gint64) -> Bool {
            let start = start ?? time
            self.start = start
            let elapsed = Double(time - start) / 1e6 / transition.duration
            guard elapsed < 1 else {
                tick = 0
                finish(true)
                return false
            }
            paintable.transition = (transition.style, transition.curve.progress(at: elapsed))
            return true
        }

        /// Ends at once, in the new state.
        func finish(_ hasEnded: Bool) {
            guard let completion else { return }
            self.completion = nil
            if tick != 0 { gtk_widget_remove_tick_callback(widget, tick) }
            tick = 0
            paintable.transition = nil
            completion(hasEnded)
        }
    }
#endif
