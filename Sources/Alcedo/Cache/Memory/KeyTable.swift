import CXXHash
import Glibc

/// Where the entries of a table are, by the bytes of their keys; the entries themselves are kept by someone else.
///
/// Open addressing with linear probing, at most half full: a bucket is eight bytes, of which half are of the hash, so that
/// an entry that is not looked for is seldom touched.
struct KeyTable {
    /// Half a hash in the upper half, a place and one in the lower; 0 if it is free.
    private var buckets: [UInt64] = []

    private(set) var count = 0

    /// The place under `hash` that `isWanted` agrees to.
    @inline(__always)
    func place(_ hash: UInt32, where isWanted: (Int) -> Bool) -> Int? {
        guard !buckets.isEmpty else { return nil }
        var index = home(hash)
        while buckets[index] != 0 {
            if UInt32(truncatingIfNeeded: buckets[index] >> 32) == hash {
                let place = Int(UInt32(truncatingIfNeeded: buckets[index])) - 1
                if isWanted(place) { return place }
            }
            index = (index + 1) & (buckets.count - 1)
        }
        return nil
    }

    /// Adds a place that is not there yet.
    mutating func insert(_ place: Int, _ hash: UInt32) {
        if (count + 1) * 2 > buckets.count { grow() }
        count += 1
        fill(UInt64(hash) << 32 | UInt64(place + 1))
    }

    /// Removes a place that is there.
    mutating func remove(_ place: Int, _ hash: UInt32) {
        let bucket = UInt64(hash) << 32 | UInt64(place + 1)
        let mask = buckets.count - 1
        var gap = home(hash)
        while buckets[gap] != bucket { gap = (gap + 1) & mask }
        // What comes behind and is not at home moves up, so that no search stops at the gap.
        var index = (gap + 1) & mask
        while buckets[index] != 0 {
            let start = home(UInt32(truncatingIfNeeded: buckets[index] >> 32))
            if (index - start) & mask >= (index - gap) & mask {
                buckets[gap] = buckets[index]
                gap = index
            }
            index = (index + 1) & mask
        }
        buckets[gap] = 0
        count -= 1
    }

    private func home(_ hash: UInt32) -> Int { Int(hash) & (buckets.count - 1) }

    private mutating func fill(_ bucket: UInt64) {
        var index = home(UInt32(truncatingIfNeeded: bucket >> 32))
        while buckets[index] != 0 { index = (index + 1) & (buckets.count - 1) }
        buckets[index] = bucket
    }

    private mutating func grow() {
        let old = buckets
        buckets = Array(repeating: 0, count: max(16, old.count * 2))
        for bucket in old where bucket != 0 { fill(bucket) }
    }
}

/// A key that has been hashed, which is best done before a lock is taken.
struct HashedKey {
    let text: String

    /// XXH3 of the UTF-8, the half that is used.
    let hash: UInt32

    /// Differs from run to run, so that nobody can choose keys that collide.
    private static let seed = UInt64.random(in: .min ... .max)

    @inline(__always)
    init(_ text: String) {
        self.text = text
        hash = text.withBytes {
            UInt32(truncatingIfNeeded: XXH3_64bits_withSeed($0.baseAddress, $0.count, Self.seed))
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8, in place.
    @inline(__always)
    fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Whether both are the same bytes, which is a stricter question than whether they read the same.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && withBytes { one in
                other.withBytes { two in
                    guard let one = one.baseAddress, let two = two.baseAddress, one != two else {
                        return true
                    }
                    return memcmp(one, two, utf8.count) == 0
                }
            }
    }
}
