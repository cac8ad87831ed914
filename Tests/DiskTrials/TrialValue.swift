import Foundation

/// Bytes that say themselves which key they belong to and whether they are whole.
enum TrialValue {
    /// The `version`th value of a key, up to 60,000 bytes long.
    static func bytes(key: UInt64, version: UInt64) -> Data {
        var state = key &* 1_000_003 &+ version
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
        let words = [key, version] + (0..<Int(next() >> 33) % 7500).map { _ in next() }
        return words.withUnsafeBytes { Data($0) }
    }

    static func isWhole(_ data: Data, key: UInt64) -> Bool {
        guard data.count >= 16 else { return false }
        let head = data.withUnsafeBytes { bytes in
            [0, 8].map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        }
        return head[0] == key && data == bytes(key: key, version: head[1])
    }
}
