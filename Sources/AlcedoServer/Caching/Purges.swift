import AlcedoCaches
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

    static func name(of source: ImageSource) -> String { "source \(ResultKey.text(of: source))" }
    static func name(ofTag tag: String) -> String { "tag \(tag)" }
}

extension ServerEngine {
    private static let purgesKey = "purges"

    /// Reads the purges that the disk has, before results are served; returns what is wrong with them.
    ///
    /// If they can't be read, everything on the disk counts as purged.
    package func loadPurges(within seconds: Double) async -> String? {
        guard let file = purgeFile else { return nil }
        let read = await sources.settings.run(file.path, limit: .seconds(seconds)) { _ in
            Result { () throws(PurgeFile.Failure) in try file.read() }
        }
        let reason: String
        switch read {
        case .success(.success(let list)):
            if let list { purges.load(list) }
            return nil
        case .success(.failure(let failure)): reason = failure.reason
        case .failure(let failure): reason = "\(failure)"
        }
        purges.merge(Purges.List(all: now()))
        return "\(file.path) can't be read, so the source of each kept result is checked: \(reason)"
    }

    /// Purges sources and tags on this machine, and notifies the others.
    ///
    /// - Throws: if the disk can't keep that, so that a restart would undo it.
    func purge(_ names: [String]) async throws(RequestFailure) {
        let now = now()
        purges.merge(Purges.List(dates: Dictionary(uniqueKeysWithValues: Set(names).map { ($0, now) })))
        async let isExchanged: Void = exchangePurges()
        let reason = await savePurges(within: 5)
        await isExchanged
        if let reason { throw .unsavedPurge(reason) }
    }

    /// Merges the purges of other machines, and passes on those that they lack.
    ///
    /// Repeated by each machine, which repairs what two of them overwrite at the same time.
    func exchangePurges(inBucket: Bool = true) async {
        if let shared = results.shared { await exchange(with: shared) }
        if inBucket, let bucket = results.bucket { await exchange(with: bucket) }
        guard purges.isUnsaved else { return }
        // Tried again at the next exchange.
        guard let reason = await savePurges(within: 5), purges.failToSave() else { return }
        sources.warn("purges of other machines can't be kept for a restart: \(reason)")
    }

    /// Exchanges purges until it is cancelled: each second, and each tenth by the bucket, whose requests cost money.
    func keepExchangingPurges() async throws {
        guard results.shared != nil || results.bucket != nil else { return }
        for turn in 0... {
            await exchangePurges(inBucket: turn % 10 == 0)
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Returns why the disk does not have the purges.
    private func savePurges(within seconds: Double) async -> String? {
        guard let file = purgeFile, purges.isUnsaved else { return nil }
        let (purges, now) = (purges, now())
        let write = await sources.settings.run(file.path, limit: .seconds(seconds)) { _ in
            Result { () throws(PurgeFile.Failure) in try purges.save(to: file, at: now) }
        }
        switch write {
        case .success(.success): return nil
        case .success(.failure(let failure)): return failure.reason
        case .failure(let failure): return "\(failure)"
        }
    }

    private func exchange(with shared: SharedImageCache) async {
        if let note = await shared.note(forKey: Self.purgesKey) {
            let theirs = StoredResult(entry: note.bytes)?.purges ?? Purges.List()
            purges.merge(theirs)
            guard note.isAging || purges.list != theirs else { return }
        }
        guard let entry = StoredResult(purges.list).entry else { return }
        shared.rightToReplaceEntry(forKey: Self.purgesKey).store(entry, lifetime: .infinity)
    }

    private func exchange(with bucket: ResultBucket) async {
        let theirs: Purges.List?
        switch await bucket.read(Self.purgesKey) {
        case .found(let entry): theirs = entry.purges
        case .missed: theirs = Purges.List()
        case .wrong: theirs = nil
        case .failed: return
        }
        // Of one that can't be read, as of such a file: everything until now. It is replaced, so that this happens once.
        purges.merge(theirs ?? Purges.List(all: now()))
        bucket.purgesAreKnown()
        guard purges.list != theirs, let entry = StoredResult(purges.list).entry else { return }
        await bucket.write(entry, forKey: Self.purgesKey)
    }
}

extension StoredResult {
    fileprivate init(_ list: Purges.List) {
        self.init(body: list.data, facts: Facts(format: EncodedFormat(rawValue: "purges")))
    }

    fileprivate var purges: Purges.List? { Purges.List(data: body) }
}

extension Purges.List {
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    init?(data: Data) {
        guard let list = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = list
    }
}

extension RequestFailure {
    fileprivate static func unsavedPurge(_ reason: String) -> Self {
        RequestFailure(
            status: 503, text: "Purged until the next restart only", kind: .io,
            reason: "the list of purges can't be written: \(reason)")
    }
}
