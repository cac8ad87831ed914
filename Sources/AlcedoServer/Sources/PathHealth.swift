/// Which files and folders below a root respond; without clock and I/O.
///
/// A file does not respond if a call for it has taken too long and none has returned since; a folder does not if
/// that is so of files in three of its members, and no call in it has returned since. One call at a time tries
/// again what does not respond, after a pause that doubles.
///
/// So a file that hangs fails alone, and a mount that hangs, wherever it is below the root, fails with all its
/// files and without its neighbours.
struct PathHealth: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Whether a call may start.
    enum Admission: Sendable, Equatable {
        case admitted
        /// The call tries these levels again.
        case trial([String])
        /// The level does not respond; the outermost, if several don't.
        case rejected(level: String, since: Instant)
    }

    /// What follows from a call that took too long.
    struct Timeout: Sendable, Equatable {
        /// The outermost folder that does not respond from now on, though it did before.
        var folder: String?

        /// Since when it does not.
        var since: Instant

        /// When the path may be tried again.
        var retry: Instant
    }

    private struct Silence {
        /// The members with a call that took too long.
        var members: Set<String> = []

        /// When the first call started that has not returned in time.
        let since: Instant

        var pause: Duration
        var retry: Instant
        var isTried = false
    }

    /// More than one, so that a few files that hang don't fail those beside them.
    private static let threshold = 3

    /// Each trial costs a thread for as long as the file system hangs.
    private static let longestPause = Duration.seconds(300)

    /// Folders beyond this depth are not distinguished.
    private static let deepest = 16

    private let firstPause: Duration
    private var silences: [String: Silence] = [:]

    /// - Parameter pause: the time before the first trial.
    init(pause: Duration = .seconds(1)) { firstPause = pause }

    /// The root, the folders below it and the path itself; folders end with `/`.
    static func levels(of path: String) -> [String] {
        let names = path.split(separator: "/", omittingEmptySubsequences: true)
        var levels = ["/"]
        for name in names.dropLast().prefix(deepest) { levels.append("\(levels[levels.count - 1])\(name)/") }
        return levels + [path]
    }

    /// Whether a call for `path` may start; it must end with ``returned(_:)`` or
    /// ``timedOut(_:trying:since:at:)``.
    mutating func admit(_ path: String, at now: Instant) -> Admission {
        if silences.isEmpty { return .admitted }
        let levels = Self.levels(of: path).filter(isUnresponsive)
        if let rejection = rejection(levels, at: now) { return rejection }
        for level in levels { silences[level]?.isTried = true }
        return levels.isEmpty ? .admitted : .trial(levels)
    }

    /// Whether a call for `path` would be rejected.
    func rejects(_ path: String, at now: Instant) -> Bool {
        if silences.isEmpty { return false }
        return rejection(Self.levels(of: path).filter(isUnresponsive), at: now) != nil
    }

    private func rejection(_ levels: [String], at now: Instant) -> Admission? {
        guard let first = levels.first, let since = silences[first]?.since,
            levels.contains(where: { silences[$0].map { $0.isTried || now < $0.retry } ?? false })
        else { return nil }
        return .rejected(level: first, since: since)
    }

    /// A call has taken too long, `trying` the levels that it was admitted for.
    mutating func timedOut(_ path: String, trying tried: [String], since start: Instant, at now: Instant)
        -> Timeout
    {
        let levels = Self.levels(of: path)
        var timeout = Timeout(folder: nil, since: start, retry: now)
        for (index, level) in levels.enumerated() {
            var silence = silences[level] ?? Silence(since: start, pause: firstPause, retry: now + firstPause)
            let wasUnresponsive = isUnresponsive(level)
            silence.members.insert(index + 1 < levels.count ? levels[index + 1] : level)
            if tried.contains(level) {
                silence.isTried = false
                silence.pause = min(silence.pause * 2, Self.longestPause)
            }
            if tried.contains(level) || !wasUnresponsive { silence.retry = now + silence.pause }
            silences[level] = silence
            guard isUnresponsive(level) else { continue }
            timeout.retry = max(timeout.retry, silence.retry)
            if !wasUnresponsive, level.hasSuffix("/"), timeout.folder == nil {
                (timeout.folder, timeout.since) = (level, silence.since)
            }
        }
        return timeout
    }

    /// A call has returned, in time or not.
    ///
    /// - Returns: the outermost folder that responds again, and since when it had not.
    mutating func returned(_ path: String) -> (folder: String, since: Instant)? {
        if silences.isEmpty { return nil }
        var folder: (String, Instant)?
        for level in Self.levels(of: path) {
            if folder == nil, level.hasSuffix("/"), isUnresponsive(level), let silence = silences[level] {
                folder = (level, silence.since)
            }
            silences[level] = nil
        }
        return folder
    }

    /// The folders that don't respond, without those inside others.
    var unresponsiveFolders: [String] {
        silences.keys.filter { level in
            level.hasSuffix("/") && isUnresponsive(level)
                && !Self.levels(of: level).dropLast().contains { $0 != level && isUnresponsive($0) }
        }
    }

    /// Whether a folder does not respond, and nothing below the root has responded since.
    var isSilent: Bool {
        silences["/"] != nil && silences.keys.contains { $0.hasSuffix("/") && isUnresponsive($0) }
    }

    private func isUnresponsive(_ level: String) -> Bool {
        guard let silence = silences[level] else { return false }
        return silence.members.count >= (level.hasSuffix("/") ? Self.threshold : 1)
    }
}
