#if GTK
    import CGtk4
    import Foundation

    /// Measures the work of the main loop between two polls.
    @MainActor
    enum MainLoopProfiler {
        /// The work of each iteration since the start, in milliseconds.
        private(set) static var iterations: [Double] = []

        private static var workTime = (wall: 0.0, processor: 0.0)

        private static var iterationStart: (wall: Double, processor: Double)?

        /// Starts; requires GLib's main loop.
        static func start() {
            iterations = []
            iterations.reserveCapacity(1 << 20)
            g_main_context_set_poll_func(nil) { descriptors, count, timeout in
                MainActor.assumeIsolated { MainLoopProfiler.willPoll() }
                let result = g_poll(descriptors, count, timeout)
                MainActor.assumeIsolated { MainLoopProfiler.iterationStart = MainLoopProfiler.now }
                return result
            }
        }

        /// The work since the last call in milliseconds, as wall time and processor time; the difference is time in
        /// which the main thread did not run.
        static func takeWorkTime() -> (wall: Double, processor: Double) {
            defer { workTime = (0, 0) }
            return workTime
        }

        /// Excludes the work of the present iteration so far.
        static func restartIteration() { iterationStart = now }

        private static func willPoll() {
            guard let iterationStart else { return }
            let now = now
            iterations.append(now.wall - iterationStart.wall)
            workTime.wall += now.wall - iterationStart.wall
            workTime.processor += now.processor - iterationStart.processor
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
