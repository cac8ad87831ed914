import CXXHash
import Glibc

/// A key with its hash, which is computed before a lock is taken; keys with the same UTF-8 are equal.
struct HashedKey: Hashable {
    let text: String

    private let hash: UInt64

    /// Random in each run, so that keys can't be chosen to collide.
    private static let seed = UInt64.random(in: .min ... .max)

    init(_ text: String) {
        self.text = text
        hash = text.withBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, Self.seed) }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (one: HashedKey, other: HashedKey) -> Bool {
        guard one.hash == other.hash, one.text.utf8.count == other.text.utf8.count else { return false }
        return one.text.withBytes { first in
            other.text.withBytes { second in
                guard let first = first.baseAddress, let second = second.baseAddress else { return true }
                return memcmp(first, second, one.text.utf8.count) == 0
            }
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8, in place.
    fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}
