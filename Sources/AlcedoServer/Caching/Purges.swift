import AlcedoLocks
import Foundation

/// When sources and tags were purged: what was checked before must not be used any more.
///
/// Results are not looked for, as their keys don't tell their source. The number of purges is bounded: the oldest become
/// one purge of everything until then.
final class Purges: Sendable {
    /// What machines exchange, and the disk keeps.
    struct List: Sendable, Codable, Equatable {
        /// By source or tag.
        var dates: [String: Date] = [:]

        /// Everything that was checked until then is purged.
        var all = Date.distantPast

        /// Takes the later date of each.
        mutating func merge(_ other: List) {
            all = max(all, other.all)
            dates.merge(other.dates) { max($0, $1) }
        }

        /// Keeps the latest.
        mutating func shorten(to most: Int) {
            guard dates.count > most else { return }
            let ordered = dates.sorted { $0.value > $1.value }
            dates = Dictionary(uniqueKeysWithValues: ordered.prefix(most).map { ($0.key, $0.value) })
            all = max(all, ordered[most].value)
        }
    }

    /// Some 300 KB of memory, and less than the largest value of a shared cache.
    static let most = 4000

    /// The clocks of machines may differ by so much.
    static let skew = 2.0

    private struct State {
        var list = List()
        var generation = 0

        /// The generation that the disk has.
        var saved = 0

        /// Whether the last try to save has failed.
        var hasFailed = false
    }

    private let state = Lock(State())

    /// A deep copy, as shared storage must not leave the lock (decision 0009).
    var list: List { copy.list }

    /// Changes with the list.
    var generation: Int { state.withLock { $0.generation } }

    /// Whether the disk lacks some.
    var isUnsaved: Bool { state.withLock { $0.saved < $0.generation } }

    private var copy: (list: List, generation: Int) {
        state.withLock { (List(dates: $0.list.dates.mapValues(\.self), all: $0.list.all), $0.generation) }
    }

    /// Adds purges; returns whether some are new.
    @discardableResult
    func merge(_ other: List) -> Bool {
        state.withLock { state in
            var merged = state.list
            merged.merge(other)
            merged.shorten(to: Self.most)
            guard merged != state.list else { return false }
            (state.list, state.generation) = (merged, state.generation + 1)
            return true
        }
    }

    /// Adds those of a file, and writes all to it; if the file can't be read, everything until `now` is purged.
    func save(to file: PurgeFile, at now: Date) throws(PurgeFile.Failure) {
        let generation = try file.update(insteadOf: List(all: now)) { present in
            if let present { merge(present) }
            return copy
        }
        isSaved(generation)
    }

    /// Adds those that the disk has.
    func load(_ list: List) {
        merge(list)
        isSaved(generation)
    }

    private func isSaved(_ generation: Int) {
        state.withLock { ($0.saved, $0.hasFailed) = (max($0.saved, generation), false) }
    }

    /// Returns whether saving has failed for the first time since it succeeded.
    func failToSave() -> Bool {
        state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
    }

    /// Whether a result of `names` that was checked at `date` is purged.
    func include(_ names: [String], checkedAt date: Date) -> Bool {
        state.withLock { state in
            date <= state.list.all
                || names.contains {
                    state.list.dates[$0].map { date <= $0.addingTimeInterval(Self.skew) } ?? false
                }
        }
    }

    static func name(of source: ImageSource) -> String { "source \(source.text)" }
    static func name(ofTag tag: String) -> String { "tag \(tag)" }
}

extension Purges.List {
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    init?(data: Data) {
        guard let list = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = list
    }
}
