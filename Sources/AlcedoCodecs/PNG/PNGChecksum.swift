/// CRC-32 as PNG has it (ISO 3309).
struct PNGChecksum {
    private var state: UInt32 = .max

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// The checksum of `bytes`.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var checksum = PNGChecksum()
        checksum.add(bytes)
        return checksum.value
    }

    /// Goes on with `bytes`.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        var state = state
        Self.table.withUnsafeBufferPointer { table in
            for byte in bytes { state = table[Int((state ^ UInt32(byte)) & 0xFF)] ^ (state >> 8) }
        }
        self.state = state
    }

    /// The checksum so far.
    var value: UInt32 { ~state }
}

/// Puts a PNG together, chunk by chunk.
struct PNGChunkWriter {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Adds a chunk whose body is that of `parts`, one after the other.
    mutating func add(_ name: StaticString, _ parts: ArraySlice<UInt8>...) {
        Self.append(UInt32(parts.reduce(0) { $0 + $1.count }), to: &bytes)
        let start = bytes.count
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        for part in parts { bytes += part }
        let checksum = bytes.withUnsafeBufferPointer { PNGChecksum.of($0[start...]) }
        Self.append(checksum, to: &bytes)
    }

    /// Adds a chunk as it is.
    mutating func addCopy(_ chunk: ArraySlice<UInt8>) { bytes += chunk }

    /// Adds `number`, most significant byte first.
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(number >> shift & 0xFF)) }
    }
}
