import AlcedoLocks

/// How fast a downloader starts downloads: ``burst`` at once, and then ``perSecond`` each second.
///
/// While a list scrolls fast, downloads are requested and cancelled within milliseconds. With a rate, most of them are
/// cancelled before they start, and cost neither a connection nor a request.
public struct DownloadRate: Sendable, Equatable {
    /// Downloads that start each second while others wait; 50 by default, values below 0.01 count as 0.01.
    public var perSecond: Double

    /// Downloads that start at once after a pause, as many as a screen shows; 20 by default, between 1 and 10,000.
    ///
    /// After `burst / perSecond` seconds without a start, all of them may start at once again.
    public var burst: Int

    public init(perSecond: Double = 50, burst: Int = 20) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

extension ImageDownloader {
    /// How fast downloads start; nil, the default, for no limit.
    ///
    /// The others wait, and the highest priority starts first. A download that is cancelled while it waits never reaches the
    /// network. Loads from a cache do not count.
    public var startRate: DownloadRate? {
        get { transfers.withLock { $0.queue.bucket?.rate } }
        set {
            let timer = transfers.withLock { transfers in
                transfers.queue.bucket = newValue.map(StartBucket.init)
                return transfers.queue.timer.take()
            }
            timer?.cancellation.cancel()
            startNext()
        }
    }

    /// The time of the start rate and of remembered failures.
    var clock: DownloadClock {
        get { transfers.withLock { $0.queue.clock } }
        set { transfers.withLock { $0.queue.clock = newValue } }
    }

    /// Replaces the time of the start rate and of remembered failures, for tests.
    package func setClock(now: @escaping @Sendable () -> Duration, timer: @escaping RetryTimer) {
        clock = DownloadClock(now: now, timer: timer)
    }

    /// Starts queued transfers, as far as their start rate, limit and consumers allow.
    func startNext() {
        startOffNetworkThread(transfers.withLock { $0.queue.takeNext() })
    }

    /// Looks again when the start rate allows a start.
    func schedule(_ timer: StartTimer) {
        // Retained, as nothing else may be while all its transfers wait.
        let cancel = clock.timer(timer.delay / .seconds(1)) { [self] in
            let fired = transfers.withLock { transfers in
                transfers.queue.timer?.cancellation === timer.cancellation
                    ? transfers.queue.timer.take() : nil
            }
            // Freed outside the lock.
            withExtendedLifetime(fired) {}
            timer.cancellation.removeAction()
            startNext()
        }
        // The rate may have been changed meanwhile.
        timer.cancellation.whenCancelled(cancel)
    }
}

/// A token bucket: decides when the next download may start at a ``DownloadRate``.
///
/// It stores the time at which all tokens are back, because durations add up without rounding.
struct StartBucket {
    let rate: DownloadRate

    private let interval: Duration
    private let burst: Duration
    private var full = Duration.zero

    init(_ rate: DownloadRate) {
        self.rate = rate
        // False for NaN, too.
        interval = .seconds(rate.perSecond > 0.01 ? 1 / rate.perSecond : 100)
        burst = interval * (min(max(rate.burst, 1), 10_000) - 1)
    }

    /// Takes a token; false if there is none.
    mutating func take(at now: Duration) -> Bool {
        guard delay(at: now) == .zero else { return false }
        full = max(full, now) + interval
        return true
    }

    /// The time until there is a token; zero if there is one.
    func delay(at now: Duration) -> Duration { max(.zero, full - burst - now) }
}

/// A timer of a ``DownloadQueue``, for the next start that its rate allows.
struct StartTimer: Sendable {
    let delay: Duration

    /// Cancels it, once it runs.
    let cancellation = Cancellation()
}

/// The time of a downloader's start rate and remembered failures, which tests replace.
struct DownloadClock: Sendable {
    private static let origin = ContinuousClock.now

    /// The time since some moment; jumps of the system's clock do not change it.
    var now: @Sendable () -> Duration = { ContinuousClock.now - origin }

    var timer: RetryTimer = retryTimer
}
