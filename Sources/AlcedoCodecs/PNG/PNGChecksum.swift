/// CRC-32 as PNG has it (ISO 3309), eight bytes at a time.
struct PNGChecksum {
    private var state: UInt32 = .max

    /// For each byte what it does to the checksum when 0, 1, … 7 more bytes follow.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { byte -> UInt32 in
            (0..<8).reduce(UInt32(byte)) { value, _ in
                value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
            }
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
        }
        return tables
    }()

    /// The checksum of `bytes`.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = PNGChecksum()
        checksum.add(bytes)
        return checksum.value
    }

    /// Goes on with `bytes`.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.tables.withUnsafeBufferPointer { table in
            func part(_ word: UInt64, _ byte: Int) -> UInt32 {
                let value = Int(truncatingIfNeeded: word >> UInt64(8 * byte)) & 0xFF
                return table[(7 - byte) * 256 + value]
            }
            var index = 0
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ UInt64(state)
                let low = part(word, 0) ^ part(word, 1) ^ part(word, 2) ^ part(word, 3)
                state = low ^ part(word, 4) ^ part(word, 5) ^ part(word, 6) ^ part(word, 7)
                index += 8
            }
            for byte in bytes[index...] {
                state = table[Int((state ^ UInt32(byte)) & 0xFF)] ^ (state >> 8)
            }
        }
        self.state = state
    }

    /// The checksum so far.
    var value: UInt32 { ~state }
}

/// Puts a PNG together, chunk by chunk.
struct PNGChunkWriter {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Makes room for `count` bytes more.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Adds a chunk whose body is that of `parts`, one after the other.
    mutating func add(_ name: StaticString, _ parts: ArraySlice<UInt8>...) {
        Self.append(UInt32(parts.reduce(0) { $0 + $1.count }), to: &bytes)
        let start = bytes.count
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        for part in parts { bytes += part }
        let checksum = bytes.withUnsafeBytes { bytes in
            PNGChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        Self.append(checksum, to: &bytes)
    }

    /// Adds a chunk for a reader that does not look at its checksum.
    mutating func addUnchecked(_ name: StaticString, _ body: some Collection<UInt8>) {
        Self.append(UInt32(body.count), to: &bytes)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        bytes += body
        Self.append(0, to: &bytes)
    }

    /// Adds a chunk as it is.
    mutating func addCopy(_ chunk: some Collection<UInt8>) { bytes += chunk }

    /// Adds `number`, most significant byte first.
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(number >> shift & 0xFF)) }
    }
}
