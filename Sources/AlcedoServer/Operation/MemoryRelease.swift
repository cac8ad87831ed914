import Alcedo
import CMalloc

/// Returns memory to the system: what the allocator keeps of freed blocks, and the workers of a server without work.
///
/// Between two looks freed blocks stay, so that the next files and pixels don't have to be mapped again: that would take an
/// eighth of a server's processor time. Then they go, or a server under load would grow by what it has between its blocks.
struct MemoryRelease {
    private var started = 0
    private var hasWorkers = false

    /// Releases free memory if work has started since the last call or is running; otherwise, once, also ends the workers,
    /// which keep the pixels of their last images.
    ///
    /// - Parameters:
    ///   - started: how much work has started so far.
    ///   - running: how much of it is running.
    ///   - stopWorkers: ends the worker processes.
    ///   - trim: releases free memory.
    mutating func look(
        started: Int, running: Int, stopWorkers: () -> Void = DecodeSandbox.stop, trim: () -> Void = Self.trim
    ) {
        let isIdle = running == 0 && started == self.started
        self.started = started
        if isIdle {
            guard hasWorkers else { return }
            stopWorkers()
        }
        hasWorkers = !isIdle
        trim()
    }

    private static func trim() { malloc_trim(0) }
}
