#if GTK
    import CGtk4
    import Foundation

    /// Measures how long the main loop works between two moments in which it waits, or could.
    @MainActor
    enum MainLoopWatch {
        /// Milliseconds of work in each iteration since the beginning.
        private(set) static var iterations: [Double] = []

        private static var busy = (wall: 0.0, processor: 0.0)

        private static var wokenAt: (wall: Double, processor: Double)?

        /// Begins; GLib's main loop must be the one that runs.
        static func start() {
            iterations = []
            iterations.reserveCapacity(1 << 20)
            g_main_context_set_poll_func(nil) { descriptors, count, timeout in
                MainActor.assumeIsolated { MainLoopWatch.willWait() }
                let result = g_poll(descriptors, count, timeout)
                MainActor.assumeIsolated { MainLoopWatch.wokenAt = MainLoopWatch.now }
                return result
            }
        }

        /// Milliseconds of work since the last call, by the clock and on a processor: the difference is what other
        /// programs took meanwhile.
        static func takeBusy() -> (wall: Double, processor: Double) {
            defer { busy = (0, 0) }
            return busy
        }

        /// Leaves out what this iteration has done so far.
        static func forgetIteration() { wokenAt = now }

        private static func willWait() {
            guard let wokenAt else { return }
            let now = now
            iterations.append(now.wall - wokenAt.wall)
            busy.wall += now.wall - wokenAt.wall
            busy.processor += now.processor - wokenAt.processor
        }

        private static var now: (wall: Double, processor: Double) {
            (milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_THREAD_CPUTIME_ID))
        }

        private static func milliseconds(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
    }
#endif
