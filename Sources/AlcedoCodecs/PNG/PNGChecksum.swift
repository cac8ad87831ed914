import CDeflate

/// The CRC-32 of PNG (ISO 3309).
enum PNGChecksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    /// Whether the checksum of a complete chunk of `bytes` is correct.
    static func isValid(in bytes: RawSpan, _ chunk: Range<Int>) -> Bool {
        bytes.withUnsafeBytes { buffer in
            let covered = UnsafeRawBufferPointer(rebasing: buffer[chunk.dropFirst(4).dropLast(4)])
            return bytes.u32BE(chunk.upperBound - 4).map { of(covered) == $0 } == true
        }
    }
}

struct PNGChunkWriter {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Adds a chunk with the concatenated `parts`.
    mutating func add(_ name: StaticString, _ parts: ArraySlice<UInt8>...) {
        add(name, count: parts.reduce(0) { $0 + $1.count }) { bytes in
            for part in parts { bytes += part }
        }
    }

    mutating func add(_ name: StaticString, _ body: UnsafeRawBufferPointer) {
        add(name, count: body.count) { $0 += body }
    }

    private mutating func add(_ name: StaticString, count: Int, _ appendBody: (inout [UInt8]) -> Void) {
        Self.append(UInt32(count), to: &bytes)
        let start = bytes.count
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        appendBody(&bytes)
        let checksum = bytes.withUnsafeBytes { bytes in
            PNGChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        Self.append(checksum, to: &bytes)
    }

    /// Adds a chunk with checksum 0, for a reader that ignores it.
    mutating func addUnchecked(_ name: StaticString, _ body: some Collection<UInt8>) {
        Self.append(UInt32(body.count), to: &bytes)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        bytes += body
        Self.append(0, to: &bytes)
    }

    mutating func addCopy(_ chunk: some Collection<UInt8>) { bytes += chunk }

    /// Appends `number` in big-endian order.
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(number >> shift & 0xFF)) }
    }
}
