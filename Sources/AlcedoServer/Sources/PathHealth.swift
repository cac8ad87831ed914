/// Which files and folders below a root respond; without clock and I/O.
///
/// A file does not respond if a call for it has taken too long and none has returned since; a folder does not if
/// that is so of files in three of its members, and no call in it has returned since the first of these started. One
/// call at a time tries again what does not respond, after a pause that doubles, while few calls are lost there.
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

    static let longestPause = Duration.seconds(300)

    /// Each trial costs a thread for as long as the file system hangs; no trial starts while a file or its outermost
    /// folder has cost as many.
    private static let (lostOfFile, lostOfFolder) = (3, 8)

    /// Folders beyond this depth are not distinguished.
    private static let deepest = 16

    private let firstPause: Duration
    private var silences: [String: Silence] = [:]

    /// The calls that nobody waits for and that have not returned, of files and of outermost folders.
    private var lost: [String: Int] = [:]

    /// The paths of which a call returned last, of two outermost folders, the last one first.
    private(set) var responded: [String] = []

    /// - Parameter pause: the time before the first trial.
    init(pause: Duration = .seconds(1)) { firstPause = pause }

    /// The root, the folders below it and the path itself; folders end with `/`.
    static func levels(of path: String) -> [String] {
        let names = path.split(separator: "/", omittingEmptySubsequences: true)
        var levels = ["/"]
        for name in names.dropLast().prefix(deepest) { levels.append("\(levels[levels.count - 1])\(name)/") }
        return levels + [path]
    }

    /// The outermost folder below the root that contains `path`; the root for a file in that.
    static func outermostFolder(of path: String) -> String {
        let level = levels(of: path)[1]
        return level.hasSuffix("/") ? level : "/"
    }

    /// Whether a call for `path` may start; it must end with ``returned(_:wasLost:)`` or
    /// ``timedOut(_:trying:alive:since:at:)``.
    mutating func admit(_ path: String, at now: Instant) -> Admission {
        if silences.isEmpty { return .admitted }
        if let rejection = rejection(of: path, at: now) { return rejection }
        let levels = Self.levels(of: path).filter(isUnresponsive)
        for level in levels { silences[level]?.isTried = true }
        return levels.isEmpty ? .admitted : .trial(levels)
    }

    /// Why a call for `path` would be rejected; nil if it would not.
    func rejection(of path: String, at now: Instant) -> Admission? {
        if silences.isEmpty { return nil }
        let levels = Self.levels(of: path).filter(isUnresponsive)
        guard let first = levels.first, let since = silences[first]?.since else { return nil }
        let mayTry =
            lost[path, default: 0] < Self.lostOfFile && lostCalls(beside: path) < Self.lostOfFolder
            && levels.allSatisfy { silences[$0].map { !$0.isTried && now >= $0.retry } ?? true }
        return mayTry ? nil : .rejected(level: first, since: since)
    }

    /// Whether the file at `path`, or a folder that contains it, does not respond.
    func holdsUp(_ path: String) -> Bool { Self.levels(of: path).contains(where: isUnresponsive) }

    /// The calls that are lost in the outermost folder of `path`.
    func lostCalls(beside path: String) -> Int { lost[Self.outermostFolder(of: path), default: 0] }

    /// The outermost folders with the most calls that are lost, two at most.
    var foldersWithMostLost: [String] {
        lost.filter { $0.key.hasSuffix("/") }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .prefix(2).map(\.key)
    }

    /// Nobody waits any more for a call that has not returned.
    mutating func lose(_ path: String) { count(1, path) }

    private mutating func count(_ change: Int, _ path: String) {
        for name in Set([path, Self.outermostFolder(of: path)]) {
            let count = lost[name, default: 0] + change
            lost[name] = count == 0 ? nil : count
        }
    }

    /// A call has taken too long.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - tried: the levels that it was admitted for. It says nothing new of the folders around them.
    ///   - alive: the number of outer levels in which another call has returned since this one started.
    ///   - start: when it started.
    ///   - now: the time.
    /// - Returns: what follows.
    mutating func timedOut(
        _ path: String, trying tried: [String], alive: Int = 0, since start: Instant, at now: Instant
    ) -> Timeout {
        let levels = Self.levels(of: path)
        var timeout = Timeout(folder: nil, since: start)
        let outermost = max(alive, tried.first.flatMap(levels.firstIndex) ?? 0)
        for (index, level) in levels.enumerated().dropFirst(outermost) {
            var silence = silences[level] ?? Silence(since: start, pause: firstPause, retry: now + firstPause)
            let wasUnresponsive = isUnresponsive(level)
            silence.members.insert(index + 1 < levels.count ? levels[index + 1] : level)
            if tried.contains(level) {
                silence.isTried = false
                silence.pause = min(silence.pause * 2, Self.longestPause)
            }
            if tried.contains(level) || !wasUnresponsive { silence.retry = now + silence.pause }
            silences[level] = silence
            if isUnresponsive(level), !wasUnresponsive, level.hasSuffix("/"), timeout.folder == nil {
                (timeout.folder, timeout.since) = (level, silence.since)
            }
        }
        return timeout
    }

    /// A call has returned, in time or not.
    ///
    /// - Returns: the outermost folder that responds again, and since when it had not.
    mutating func returned(_ path: String, wasLost: Bool = false) -> (folder: String, since: Instant)? {
        if wasLost { count(-1, path) }
        let outermost = Self.outermostFolder(of: path)
        responded.removeAll { Self.outermostFolder(of: $0) == outermost }
        responded = [path] + responded.prefix(1)
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

    /// Whether folders do not respond, and among them are those of all files that have responded last.
    var isSilent: Bool {
        silences.keys.contains { $0.hasSuffix("/") && isUnresponsive($0) }
            && responded.allSatisfy { Self.levels(of: $0).dropLast().contains(where: isUnresponsive) }
    }

    private func isUnresponsive(_ level: String) -> Bool {
        guard let silence = silences[level] else { return false }
        return silence.members.count >= (level.hasSuffix("/") ? Self.threshold : 1)
    }
}
