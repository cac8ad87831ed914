/// Which hosts respond; without clock and I/O.
///
/// A host does not respond once downloads of three URLs have timed out and none has ended in another way since the first of
/// these began. One download at a time tries it again, after a pause that doubles.
struct OriginHealth: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Whether a download may start.
    enum Admission: Sendable, Equatable {
        case admitted
        /// It tries a host that does not respond.
        case trial
        case rejected(since: Instant)
    }

    /// How a download ended.
    enum End: Sendable {
        /// Within its time, if only with an error.
        case inTime
        case timedOut
        /// Nothing follows: it was cancelled, or did not have the whole time.
        case unknown
    }

    /// What changes with the end of a download.
    enum Change: Sendable, Equatable {
        case stopped
        case resumed(since: Instant)
    }

    private struct Silence {
        /// The URLs that have timed out, three at most.
        var urls: Set<String> = []

        /// When the first of their downloads began.
        let since: Instant

        var pause: Duration
        var retry: Instant
        var isTried = false

        /// More than one, so that an image that takes too long to be made does not fail the others.
        var isLong: Bool { urls.count >= 3 }
    }

    private struct Origin {
        var running = 0

        /// When a download last ended in time, while others run.
        var lastEnd: Instant?
        var silence: Silence?
    }

    static let longestPause = Duration.seconds(30)

    /// Most hosts that are known not to respond: URLs may name any number of them.
    static let mostSilent = 1000

    private let firstPause: Duration
    private var origins: [String: Origin] = [:]
    private var silent = 0

    /// - Parameter pause: the time before the first trial.
    init(pause: Duration = .seconds(1)) { firstPause = pause }

    /// The hosts that do not respond.
    var unresponsive: Int { origins.values.count { $0.silence?.isLong == true } }

    /// Since when a download would be rejected; nil if it would not.
    func rejection(of origin: String, at now: Instant) -> Instant? {
        guard let silence = origins[origin]?.silence, silence.isLong, silence.isTried || now < silence.retry
        else { return nil }
        return silence.since
    }

    /// Whether a download may start; it must end with ``end(_:_:_:_:since:at:)`` unless it is rejected.
    mutating func admit(_ origin: String, at now: Instant) -> Admission {
        if let since = rejection(of: origin, at: now) { return .rejected(since: since) }
        origins[origin, default: Origin()].running += 1
        guard origins[origin]?.silence?.isLong == true else { return .admitted }
        origins[origin]?.silence?.isTried = true
        return .trial
    }

    /// A download has ended.
    ///
    /// - Parameters:
    ///   - origin: its host.
    ///   - url: its URL.
    ///   - admission: what ``admit(_:at:)`` has returned for it.
    ///   - end: how.
    ///   - start: when it began.
    ///   - now: the time.
    /// - Returns: what follows for the host.
    mutating func end(
        _ origin: String, _ url: String, _ admission: Admission, _ end: End, since start: Instant,
        at now: Instant
    ) -> Change? {
        guard var known = origins[origin] else { return nil }
        let wasLong = known.silence?.isLong == true
        let since = known.silence?.since
        let isAlive = known.lastEnd.map { $0 > start } ?? false
        known.running -= 1
        if admission == .trial { known.silence?.isTried = false }
        switch end {
        case .unknown: break
        case .inTime: (known.lastEnd, known.silence) = (now, nil)
        // The host has responded meanwhile: only this URL is slow.
        case .timedOut where isAlive: break
        case .timedOut:
            var silence = known.silence ?? Silence(since: start, pause: firstPause, retry: now + firstPause)
            if !wasLong {
                silence.urls.insert(url)
                silence.retry = now + silence.pause
            } else if admission == .trial {
                silence.pause = min(silence.pause * 2, Self.longestPause)
                silence.retry = now + silence.pause
            }
            known.silence = silence
        }
        silent += (known.silence == nil ? 0 : 1) - (since == nil ? 0 : 1)
        origins[origin] = known.running == 0 && known.silence == nil ? nil : known
        if silent > Self.mostSilent { forgetOldest() }
        let isLong = known.silence?.isLong == true
        if isLong, !wasLong { return .stopped }
        return wasLong && !isLong ? since.map { .resumed(since: $0) } : nil
    }

    private mutating func forgetOldest() {
        let oldest = origins.compactMap { name, origin in origin.silence.map { (name, $0.since) } }
            .min { $0.1 < $1.1 }
        guard let (name, _) = oldest, var origin = origins[name] else { return }
        silent -= 1
        origin.silence = nil
        origins[name] = origin.running == 0 ? nil : origin
    }
}
