import AlcedoCaches
import AlcedoLocks
import AlcedoTransport
import Foundation

/// What the cache that machines share has of a result.
enum SharedFinding: Sendable {
    /// A result; one that is aging should be created again in the background.
    case hit(StoredResult, isAging: Bool)

    /// The source has failed a moment ago.
    case failed(RequestFailure)

    /// Nothing, with the right to store it.
    case missed(SharedEntryRight?)
}

extension ResultStore {
    /// Looks up a result; on a miss, waits for the machine that creates it, up to half the time until `deadline`.
    ///
    /// A hit is kept here too.
    func shared(_ key: String, until deadline: ContinuousClock.Instant) async -> SharedFinding {
        guard let shared else { return .missed(nil) }
        switch await shared.entry(forKey: key, wait: (deadline - .now).seconds / 2) {
        case .found(let entry, let isAging):
            guard let result = StoredResult(entry: entry), result.isFresh else { return .missed(nil) }
            keepHere(result, forKey: key, entry: entry)
            return .hit(result, isAging: isAging)
        case .failedBefore(let failure): return .failed(RequestFailure(failure))
        case .missed(let right): return .missed(right)
        }
    }

    /// Finds out which machine replaces a result that is out of date: a hit if another one has done so, nil if another one does.
    ///
    /// With `waits`, waits for that one up to half the time until `deadline`.
    func replacing(
        _ key: String, waits: Bool, until deadline: ContinuousClock.Instant,
        unless isCurrent: @Sendable (StoredResult) async -> Bool
    ) async -> SharedFinding? {
        guard let shared else { return .missed(nil) }
        let wait = waits ? (deadline - .now).seconds / 2 : nil
        let replacing = await shared.replacing(entryForKey: key, wait: wait) { entry in
            guard let result = StoredResult(entry: entry), result.isFresh else { return false }
            return await isCurrent(result)
        }
        switch replacing {
        case .found(let entry):
            guard let result = StoredResult(entry: entry) else { return .missed(nil) }
            keepHere(result, forKey: key, entry: entry)
            return .hit(result, isAging: false)
        case .failedBefore(let failure): return .failed(RequestFailure(failure))
        case .leads(let right): return .missed(right)
        case .left: return nil
        }
    }
}

extension ResultStore {
    /// Forgets a result whose source is gone.
    func remove(_ key: String, after failure: RequestFailure) {
        removeHere(key)
        bucket?.remove(key)
        // What is shared replaces it there.
        if failure.sharing == nil { shared?.removeEntry(forKey: key) }
    }
}

extension RequestFailure {
    /// Whether other machines would fail too.
    enum Sharing: Sendable {
        /// The source does not exist or is no image.
        case missing

        /// Its server fails for the moment.
        case failing
    }

    /// Has the fleet remember it, if others would fail too.
    func share(by right: SharedEntryRight?) {
        guard let right, let sharing else { return }
        right.fail(
            status: status, reason: "\(kind.rawValue)\n\(isOfDownload)\n\(text)\n\(reason)",
            isMissing: sharing == .missing)
    }

    /// What another machine has shared.
    fileprivate init(_ failure: RememberedFailure) {
        let parts = failure.reason.split(
            separator: "\n", maxSplits: 3, omittingEmptySubsequences: false
        ).map(String.init)
        guard let status = failure.status, parts.count == 4, let kind = ErrorKind(rawValue: parts[0])
        else {
            self = .unreachable(failure.reason)
            return
        }
        self.init(
            status: status, text: parts[2], kind: kind, reason: "\(parts[3]) (a moment ago)",
            isOfDownload: parts[1] == "true")
        isPassing = status >= 500
    }
}
