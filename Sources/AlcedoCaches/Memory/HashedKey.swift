import CXXHash

/// A key with its hash, which is computed before a lock is taken.
///
/// Two keys are equal if their UTF-8 is: the hash tells canonically equivalent strings apart.
package struct HashedKey: Hashable, Sendable {
    let text: String

    private let hash: UInt64

    /// Random in each run, so that keys can't be chosen to collide.
    private static let seed = UInt64.random(in: .min ... .max)

    init(_ text: String) {
        self.text = text
        var text = text
        hash = text.withUTF8 { XXH3_64bits_withSeed($0.baseAddress, $0.count, Self.seed) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    package static func == (one: HashedKey, other: HashedKey) -> Bool {
        one.hash == other.hash && one.text == other.text
    }
}
