/// A cache in memory that has an image under a key.
///
/// It is not kept alive by that for long: a cache that nobody has any more is empty.
struct CostFollower: Hashable {
    let cache: MemoryStorage.Core
    let key: HashedKey

    static func == (one: CostFollower, other: CostFollower) -> Bool {
        one.cache === other.cache && one.key.hash == other.key.hash
            && one.key.text.hasSameBytes(as: other.key.text)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(cache))
        hasher.combine(key.hash)
    }
}

/// Who is to be told when an image's cost changes.
///
/// Those that have the image no more are found out when they are told, and that happens whenever there are twice as many
/// as were left the last time.
struct CostFollowers {
    struct Entry {
        let follower: CostFollower

        /// The number of its last addition.
        var addition: Int
    }

    private(set) var all: [Entry] = []

    private var additions = 0
    private var crowd = 16

    /// Adds one; whether it is time to find out which are left.
    mutating func add(_ follower: CostFollower) -> Bool {
        additions += 1
        // Most images are in one cache under one key. Where there are many, one may be there twice for a while.
        if all.count < 8, let index = all.firstIndex(where: { $0.follower == follower }) {
            all[index].addition = additions
            return false
        }
        all.append(Entry(follower: follower, addition: additions))
        guard all.count > crowd else { return false }
        crowd = all.count * 2
        return true
    }

    /// Removes those that have not been added again meanwhile, and those that are there twice.
    mutating func remove(_ gone: Set<Int>) {
        var seen: Set<CostFollower> = []
        let left = all.reversed().filter {
            !gone.contains($0.addition) && seen.insert($0.follower).inserted
        }
        all = left.reversed()
        crowd = max(16, all.count * 2)
    }
}
