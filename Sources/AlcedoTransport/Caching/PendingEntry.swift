import AlcedoLocks
package import Foundation

/// A response that a cache stores once its consumer has decoded it.
///
/// The transport cannot distinguish an image from an error page that is labelled as one. The result therefore has a pending
/// entry: ``commit()`` stores the response; without it the response is not stored.
package final class PendingEntry: Sendable {
    private enum Decision {
        case none
        case commit
        case discard
    }

    private let response: StoredResponse
    private let key: String
    private let store: any ResponseStore
    private let generation: Int
    private let isStored: Bool
    private let revalidatesStored: Bool
    private let decision = Lock(Decision.none)

    /// An entry for `key`, whose request was made in that generation of the store.
    init(
        _ response: StoredResponse, forKey key: String, in store: any ResponseStore, generation: Int,
        isStored: Bool = false, revalidatesStored: Bool = false
    ) {
        self.response = response
        self.key = key
        self.store = store
        self.generation = generation
        self.isStored = isStored
        self.revalidatesStored = revalidatesStored || isStored
    }

    package var body: Data { response.body }
    package var isUndecided: Bool { decision.withLock { $0 == .none } }

    /// Stores the response, even if another consumer has discarded it.
    package func commit() {
        let stores = decision.withLock { decision in
            defer { decision = .commit }
            return decision == .discard || decision == .none && !isStored
        }
        if stores { store.store(response, forKey: key, generation: generation) }
    }

    /// Discards the response, and removes it if it is stored.
    package func discard() {
        let removes = decision.withLock { decision in
            defer { decision = .discard }
            return decision == .commit || decision == .none && revalidatesStored
        }
        if removes { store.remove(forKey: key) }
    }
}
