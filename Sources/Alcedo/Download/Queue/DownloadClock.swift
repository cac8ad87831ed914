/// The time of a downloader's start rate and remembered failures, which tests replace.
struct DownloadClock: Sendable {
    private static let origin = ContinuousClock.now

    /// The time since some moment; jumps of the system's clock do not change it.
    var now: @Sendable () -> Duration = { ContinuousClock.now - origin }

    var timer: RetryTimer = retryTimer
}
