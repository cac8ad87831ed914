import AlcedoLocks
package import Foundation

/// A response that a cache keeps once its consumer has made something of it.
///
/// The transport can't tell an image from an error page that calls itself one. So it hands this over with the result:
/// the response is stored with ``commit()``; one that nobody commits is not kept.
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

    /// Whether the store has this very response already.
    private let isStored: Bool

    /// Whether the store has something under the key that the response confirms.
    private let revalidatesStored: Bool
    private let decision = Lock(Decision.none)

    /// An entry for `key`, asked for when the store was of that generation.
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

    /// The body that would be kept.
    package var body: Data { response.body }

    /// Whether nobody has decided yet.
    package var isUndecided: Bool { decision.withLock { $0 == .none } }

    /// The response was of use: stores it, though others have discarded it.
    package func commit() {
        let stores = decision.withLock { decision in
            defer { decision = .commit }
            return decision == .discard || decision == .none && !isStored
        }
        if stores { store.store(response, forKey: key, generation: generation) }
    }

    /// The response was of no use: removes it if it is stored.
    package func discard() {
        let removes = decision.withLock { decision in
            defer { decision = .discard }
            return decision == .commit || decision == .none && revalidatesStored
        }
        if removes { store.remove(forKey: key) }
    }
}
