#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A running transition, driven by the frame clock.
    @MainActor
    final class RunningTransition {
        private let transition: ViewTransition
        private let widget: UnsafeMutablePointer<GtkWidget>
        private let paintable: ImagePaintable
        private var tick: guint = 0
        private var start: gint64?
        private var completion: (@MainActor (Bool) -> Void)?

        /// Starts with the next frame of the display.
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
            // GTK retains the transition until the callback is removed.
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
                    // The callback is removed at the end, or with the widget.
                    let running = Unmanaged<RunningTransition>.fromOpaque(context).takeRetainedValue()
                    MainActor.assumeIsolated {
                        running.tick = 0
                        running.finish(false)
                    }
                }
            )
        }

        /// Draws the next frame; false at the end.
        private func advance(to time: gint64) -> Bool {
            // The new image would appear in the middle of the transition.
            guard !paintable.isDecoding || start != nil else { return true }
            let start = start ?? time
            self.start = start
            let elapsed = Double(time - start) / 1e6 / transition.duration
            guard elapsed < 1 else {
                // So that `stop` does not remove the callback: GTK does when this returns 0.
                tick = 0
                finish(true)
                return false
            }
            paintable.transition = (transition.style, transition.curve.progress(at: elapsed))
            return true
        }

        /// Finishes at once, in the new state.
        func finish(_ hasEnded: Bool) { stop()?(hasEnded) }

        /// Finishes at once, in the new state, and returns the completion for the caller to call; nil if it has
        /// finished.
        func stop() -> (@MainActor (Bool) -> Void)? {
            guard let completion = completion.take() else { return nil }
            // The removal calls `finish`, which does nothing because the completion is taken.
            if tick != 0 { gtk_widget_remove_tick_callback(widget, tick) }
            paintable.transition = nil
            return completion
        }
    }
#endif
