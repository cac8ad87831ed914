package import AlcedoPixels

/// The head of a message: a kind, the request's number and sixteen words; bytes may follow.
package struct Message: Equatable, Sendable {
    /// The kind of a message.
    package enum Kind: UInt32, Sendable, CaseIterable {
        // Requests to a worker; each has one response.
        case info = 1
        case decode
        case durations
        case profile
        case open
        case next
        case skip
        case rewind
        case close

        // The response to `wantMemory`.
        case memory
        case noMemory

        // The first message of a worker.
        case ready

        // A worker's request during a request.
        case wantMemory

        // A worker's responses.
        case facts
        case pixels
        case bytes
        case nothing
        case failure
    }

    /// Numbers in a message.
    package static let wordCount = 16

    /// Bytes of a head.
    package static let byteCount = 16 + wordCount * 8

    /// The most bytes that follow a head; more go through shared memory.
    package static let longestTail = 128 << 10

    /// The most bytes of a picture that follow a head: the memory that a worker keeps spares larger ones three copies.
    package static let largestPicture = 16 << 10

    /// The kind of a message.
    package let kind: Kind

    /// The request that it belongs to.
    package let id: UInt32

    /// ``wordCount`` words, whose meaning depends on the kind.
    package private(set) var words: [UInt64]

    /// A message with so many of the words, the others zero.
    package init(_ kind: Kind, id: UInt32, words: [UInt64] = []) {
        precondition(words.count <= Self.wordCount)
        self.kind = kind
        self.id = id
        self.words = words + Array(repeating: 0, count: Self.wordCount - words.count)
    }

    /// The message at the start of `bytes`, if they are that and its tail and nothing else.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount,
            let kind = Kind(rawValue: bytes.loadUnaligned(as: UInt32.self)),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == UInt64(bytes.count - Self.byteCount)
        else { return nil }
        self.kind = kind
        id = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        words = (0..<Self.wordCount).map { bytes.loadUnaligned(fromByteOffset: 16 + $0 * 8, as: UInt64.self) }
    }

    /// Its bytes, for a tail of so many.
    package func encoded(tailCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        func append(_ value: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
        }
        append(kind.rawValue)
        append(id)
        append(UInt64(tailCount))
        for word in words { append(word) }
        return bytes
    }

    /// A word as a count or a length; nil where it is none.
    package func count(_ index: Int) -> Int? { Int(exactly: words[index]) }

    /// A word as a number.
    package func number(_ index: Int) -> Double { Double(bitPattern: words[index]) }

    /// Two words as a size without overflow; nil where they are none.
    package func size(_ index: Int) -> PixelSize? {
        guard let width = Int32(exactly: words[index]), let height = Int32(exactly: words[index + 1]) else {
            return nil
        }
        return PixelSize(width: Int(width), height: Int(height))
    }
}
