import AlcedoLocks

extension ImageDownloader {
    /// How fast downloads start; nil, the default, for no limit.
    ///
    /// The others wait, and the highest priority starts first. A download that is cancelled while it waits never reaches the
    /// network. Loads from a cache do not count.
    public var startRate: DownloadRate? {
        get { transfers.withLock { $0.queue.bucket?.rate } }
        set {
            let cancelTimer = transfers.withLock { transfers in
                transfers.queue.bucket = newValue.map(StartBucket.init)
                return transfers.queue.timer.disarm()
            }
            cancelTimer?()
            startNext()
        }
    }

    /// The time of the start rate and of remembered failures.
    var clock: DownloadClock {
        get { transfers.withLock { $0.queue.clock } }
        set { transfers.withLock { $0.queue.clock = newValue } }
    }

    /// Starts queued transfers, as far as their start rate, limit and consumers allow.
    func startNext() {
        startOffNetworkThread(transfers.withLock { $0.queue.takeNext() })
    }

    /// Looks again when the start rate allows a start; the queue has at most one timer.
    func schedule(_ timer: StartTimer) {
        // Retained, as nothing else may be while all its transfers wait.
        let cancel = clock.timer(timer.delay / .seconds(1)) { [self] in
            let cancel = transfers.withLock { $0.queue.timer.disarm(timer) }
            withExtendedLifetime(cancel) {}
            startNext()
        }
        // It may have fired meanwhile, or the rate was changed.
        if !transfers.withLock({ $0.queue.timer.attach(cancel, to: timer) }) { cancel() }
    }
}
