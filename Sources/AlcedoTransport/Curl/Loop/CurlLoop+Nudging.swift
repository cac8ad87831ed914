/// Works around a fault of libcurl 7.88; see ``CurlLibrary/forgetsBufferedStreams``.
extension CurlLoop {
    /// Seconds of silence after which an HTTP/2 transfer is nudged.
    private static let nudgeInterval = 0.05

    /// Has ``nudge()`` called soon, because an HTTP/2 transfer runs.
    func scheduleNudge() {
        guard CurlLibrary.forgetsBufferedStreams else { return }
        nextNudge = min(nextNudge, context.now + Self.nudgeInterval)
    }

    /// Resumes HTTP/2 transfers that have received nothing for a while.
    ///
    /// libcurl 7.88 can read bytes of several streams from a connection, deliver some of them, and then wait for the
    /// socket instead of delivering the rest. If the server has no more to send, these transfers hang.
    func nudge() {
        nextNudge = .infinity
        for transfer in active where transfer.origin.protocolVersion == .multiplexed {
            nextNudge = context.now + Self.nudgeInterval
            guard let deadlines = transfer.deadlines, deadlines.stage != .connecting else { continue }
            let isSilent = context.now - deadlines.since >= Self.nudgeInterval
            if isSilent, !transfer.isPaused { transfer.easy?.nudge() }
        }
        hasPendingWork = true
    }
}
