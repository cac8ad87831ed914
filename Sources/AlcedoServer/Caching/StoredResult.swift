import AlcedoPixels
import Foundation

/// An encoded result, and what responses with it say.
struct StoredResult: Sendable {
    var body: Data
    var facts: Facts

    struct Facts: Sendable, Codable, Equatable {
        /// The usual file extension of ``body``'s format.
        var format: String
        var head = SourceHead()
        var originWidth: Int?
        var originHeight: Int?
        var originBytes: Int?
        var width: Int?
        var height: Int?

        /// When its source was last known to be the same.
        var checked = Date()

        /// When it must not be used any more; never for nil.
        var expires: Date?

        init(format: EncodedFormat) { self.format = format.rawValue }
    }

    var format: EncodedFormat { EncodedFormat(rawValue: facts.format) }

    /// Its cost in memory: the bytes, and an estimate of the rest.
    var cacheCost: Int { body.count + 1024 }

    init(body: Data, facts: Facts) {
        self.body = body
        self.facts = facts
    }
}

// MARK: - Entries of a cache

extension StoredResult {
    /// What entries start with; another version has another number.
    private static let magic = Array("alcedo-result-1\n".utf8)

    /// The largest ``Facts`` that are read.
    private static let longestFacts = 64 << 10

    /// The entry: a magic number, the length of the facts in four bytes, the facts as JSON, the body.
    var entry: Data? {
        guard let facts = try? JSONEncoder().encode(facts), facts.count <= Self.longestFacts else {
            return nil
        }
        var entry = Data(capacity: Self.magic.count + 4 + facts.count + body.count)
        entry.append(contentsOf: Self.magic)
        for shift in stride(from: 24, through: 0, by: -8) {
            entry.append(UInt8(truncatingIfNeeded: facts.count >> shift))
        }
        entry.append(facts)
        entry.append(body)
        return entry
    }

    /// Reads an entry; nil for anything else.
    init?(entry: Data) {
        let start = Self.magic.count
        guard entry.count >= start + 4, entry.prefix(start).elementsEqual(Self.magic) else { return nil }
        let entry = entry[entry.startIndex...]
        let base = entry.startIndex + start
        let length = entry[base..<base + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.longestFacts, entry.count >= start + 4 + length,
            let facts = try? JSONDecoder().decode(
                Facts.self, from: entry[base + 4..<base + 4 + length])
        else { return nil }
        body = Data(entry[(base + 4 + length)...])
        self.facts = facts
    }
}
