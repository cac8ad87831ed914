/// A timer of a ``DownloadQueue``, for the next start that its rate allows.
struct StartTimer {
    let id: Int
    let delay: Duration

    /// Which timer a queue waits for; one at most.
    struct State {
        private var lastID = 0
        private var armed: Int?
        private var cancel: (@Sendable () -> Void)?

        /// A timer to start; nil if the queue has one.
        mutating func arm(after delay: Duration) -> StartTimer? {
            guard armed == nil else { return nil }
            lastID += 1
            armed = lastID
            return StartTimer(id: lastID, delay: delay)
        }

        /// Keeps what cancels a timer that was started; false if the queue no longer waits for it.
        mutating func attach(_ cancel: @escaping @Sendable () -> Void, to timer: StartTimer) -> Bool {
            guard armed == timer.id else { return false }
            self.cancel = cancel
            return true
        }

        /// Waits for `timer` no longer, nil for any; returns what cancels it, to be called or freed outside the lock.
        mutating func disarm(_ timer: StartTimer? = nil) -> (@Sendable () -> Void)? {
            guard timer == nil || armed == timer?.id else { return nil }
            armed = nil
            return cancel.take()
        }
    }
}
