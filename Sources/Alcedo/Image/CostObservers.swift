/// A memory cache that holds an image under a key.
///
/// The strong reference costs little: a cache without owners is empty, and the next pruning removes it.
struct CostObserver: Hashable {
    let cache: MemoryStorage.Core
    let key: HashedKey

    static func == (one: CostObserver, other: CostObserver) -> Bool {
        one.cache === other.cache && one.key == other.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(cache))
        hasher.combine(key)
    }
}

/// The caches to notify when an image's cost changes.
///
/// A notification finds observers that no longer hold the image and removes them. ``add(_:)`` requests a notification
/// whenever the number of observers has doubled since the last removal.
struct CostObservers {
    struct Entry {
        let observer: CostObserver

        /// The sequence number of the observer's last addition.
        var addition: Int
    }

    private(set) var all: [Entry] = []

    private var additions = 0
    private var pruneThreshold = 16

    /// Adds an observer; true if the observers should be notified now, to prune stale ones.
    mutating func add(_ observer: CostObserver) -> Bool {
        additions += 1
        // Most images are in one cache under one key. A list of 8 or more may hold duplicates until it is pruned.
        if all.count < 8, let index = all.firstIndex(where: { $0.observer == observer }) {
            all[index].addition = additions
            return false
        }
        all.append(Entry(observer: observer, addition: additions))
        guard all.count > pruneThreshold else { return false }
        pruneThreshold = all.count * 2
        return true
    }

    /// Removes the entries with these addition numbers, and duplicates; an observer that was added again stays.
    mutating func remove(_ stale: Set<Int>) {
        var seen: Set<CostObserver> = []
        let remaining = all.reversed().filter {
            !stale.contains($0.addition) && seen.insert($0.observer).inserted
        }
        all = remaining.reversed()
        pruneThreshold = max(16, all.count * 2)
    }
}
