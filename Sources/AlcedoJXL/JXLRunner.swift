#if JXL
    import AlcedoPixels
    import CJxl

    /// Runs libjxl's tasks on the calling thread, until there is no time left.
    ///
    /// If the runner rejects tasks that are groups of pixels, libjxl returns an error; if they are rows, libjxl ends the
    /// process. Only groups are rejected.
    final class JXLRunner {
        var deadline = Deadline.never
        /// Whether tasks were rejected.
        private(set) var isLate = false

        private let groupCounts: Set<Int>

        /// Rejects tasks after the deadline if their number is one of `groupCounts`.
        init(groupCounts: Set<Int>) { self.groupCounts = groupCounts }

        /// Has `decoder` run its tasks here; this must outlive it.
        func attach(to decoder: OpaquePointer) {
            let runner: JxlParallelRunner = { runner, jxl, start, run, first, end in
                guard let runner, let start, let run else { return JXL_PARALLEL_RET_RUNNER_ERROR }
                let status = start(jxl, 1)
                guard status == 0 else { return status }
                return Unmanaged<JXLRunner>.fromOpaque(runner).takeUnretainedValue()
                    .tasks(first..<max(first, end)) { run(jxl, $0, 0) }
            }
            _ = libjxl.DecoderSetParallelRunner(decoder, runner, Unmanaged.passUnretained(self).toOpaque())
        }

        private func tasks(_ range: Range<UInt32>, _ run: (UInt32) -> Void) -> JxlParallelRetCode {
            let areGroups = range.lowerBound == 0 && groupCounts.contains(range.count)
            for task in range {
                if areGroups, (try? deadline.check()) == nil {
                    isLate = true
                    return JXL_PARALLEL_RET_RUNNER_ERROR
                }
                run(task)
            }
            return 0
        }
    }
#endif
