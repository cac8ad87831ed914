import AlcedoCaches
import AlcedoPixels
import Foundation

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

extension RequestFailure {
    fileprivate static func unsavedPurge(_ reason: String) -> Self {
        RequestFailure(
            status: 503, text: "Purged until the next restart only", kind: .io,
            reason: "the list of purges can't be written: \(reason)")
    }
}
