import Alcedo
import AlcedoLocks
import AlcedoPixels
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

    private let state = Lock(List())

    /// A deep copy, as shared storage must not leave the lock (decision 0009).
    var list: List { state.withLock { List(dates: $0.dates.mapValues(\.self), all: $0.all) } }

    /// Adds purges; returns whether some are new.
    @discardableResult
    func merge(_ other: List) -> Bool {
        state.withLock { list in
            var merged = list
            merged.merge(other)
            merged.shorten(to: Self.most)
            defer { list = merged }
            return merged != list
        }
    }

    /// Whether a result of `names` that was checked at `date` is purged.
    func include(_ names: [String], checkedAt date: Date) -> Bool {
        state.withLock { list in
            date <= list.all
                || names.contains { list.dates[$0].map { date <= $0.addingTimeInterval(Self.skew) } ?? false }
        }
    }

    static func name(of source: ImageSource) -> String { "source \(ResultKey.text(of: source))" }
    static func name(ofTag tag: String) -> String { "tag \(tag)" }
}

extension ServerEngine {
    private static let purgesKey = "purges"

    /// Reads the purges that the disk has, before results are served.
    package func loadPurges(within seconds: Double) async {
        guard
            let (found, _) = await results.result(forKey: Self.purgesKey, until: .now + .seconds(2 * seconds))
        else { return }
        _ = found.purges.map { purges.merge($0) }
    }

    /// Purges sources and tags on this machine, and tells the others.
    func purge(_ names: [String]) async {
        let now = now()
        purges.merge(Purges.List(dates: Dictionary(uniqueKeysWithValues: Set(names).map { ($0, now) })))
        results.store(StoredResult(purges.list), forKey: Self.purgesKey, sharing: nil)
        await exchangePurges()
    }

    /// Takes over the purges of other machines, and tells them those that they lack.
    ///
    /// Repeated by each machine, which repairs what two of them overwrite at the same time.
    func exchangePurges() async {
        guard let shared else { return await exchange(with: results.shared) }
        await exchange(with: shared.cache)
    }

    private func exchange(with shared: SharedImageCache?) async {
        guard let shared else { return }
        if let note = await shared.note(forKey: Self.purgesKey) {
            let theirs = StoredResult(entry: note.bytes)?.purges ?? Purges.List()
            if purges.merge(theirs) {
                results.store(StoredResult(purges.list), forKey: Self.purgesKey, sharing: nil)
            }
            guard note.isAging || purges.list != theirs else { return }
        }
        guard let entry = StoredResult(purges.list).entry else { return }
        shared.rightToReplaceEntry(forKey: Self.purgesKey).store(entry, lifetime: .infinity)
    }
}

extension StoredResult {
    fileprivate init(_ list: Purges.List) {
        let body = (try? JSONEncoder().encode(list)) ?? Data()
        self.init(body: body, facts: Facts(format: EncodedFormat(rawValue: "purges")))
    }

    fileprivate var purges: Purges.List? { try? JSONDecoder().decode(Purges.List.self, from: body) }
}
