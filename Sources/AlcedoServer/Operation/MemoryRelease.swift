import Alcedo
import CMalloc

/// Returns memory to the system when a server has nothing to do.
///
/// The allocator keeps what was freed, and idle worker processes the pixels of their last images.
struct MemoryRelease {
    private var started = 0
    private var isReleased = true

    /// Releases memory once no work has started since the last call, and none is running.
    ///
    /// - Parameters:
    ///   - started: how much work has started so far.
    ///   - running: how much of it is running.
    ///   - release: releases memory.
    mutating func look(started: Int, running: Int, release: () -> Void = Self.release) {
        guard running == 0, started == self.started else {
            (self.started, isReleased) = (started, false)
            return
        }
        guard !isReleased else { return }
        isReleased = true
        release()
    }

    private static func release() {
        DecodeSandbox.stop()
        malloc_trim(0)
    }
}
