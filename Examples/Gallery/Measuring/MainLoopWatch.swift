#if GTK
    import CGtk4

    /// Measures how long the main loop works between two moments in which it waits, or could.
    @MainActor
    enum MainLoopWatch {
        /// Milliseconds of work in each iteration since the beginning.
        private(set) static var iterations: [Double] = []

        /// Milliseconds of work since ``takeBusy()``.
        private static var busy = 0.0

        private static var wokenAt: gint64?

        /// Begins; GLib's main loop must be the one that runs.
        static func start() {
            iterations = []
            iterations.reserveCapacity(1 << 20)
            g_main_context_set_poll_func(nil) { descriptors, count, timeout in
                MainActor.assumeIsolated { MainLoopWatch.willWait() }
                let result = g_poll(descriptors, count, timeout)
                MainActor.assumeIsolated { MainLoopWatch.wokenAt = g_get_monotonic_time() }
                return result
            }
        }

        /// Milliseconds of work since the last call.
        static func takeBusy() -> Double {
            defer { busy = 0 }
            return busy
        }

        private static func willWait() {
            guard let wokenAt else { return }
            let milliseconds = Double(g_get_monotonic_time() - wokenAt) / 1000
            iterations.append(milliseconds)
            busy += milliseconds
        }
    }
#endif
