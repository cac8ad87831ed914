/// Bounds-checked reads from untrusted bytes: nil if the bytes end too early, for any offset.
extension RawSpan {
    package func u8(_ offset: Int) -> Int? {
        guard offset >= 0, offset < byteCount else { return nil }
        return Int(unsafeLoad(fromByteOffset: offset, as: UInt8.self))
    }

    package func u16(_ offset: Int) -> UInt16? { load(offset) }

    package func u32(_ offset: Int) -> UInt32? { load(offset) }

    package func u16BE(_ offset: Int) -> Int? { u16(offset).map { Int(UInt16(bigEndian: $0)) } }

    package func u16LE(_ offset: Int) -> Int? { u16(offset).map { Int(UInt16(littleEndian: $0)) } }

    package func u32BE(_ offset: Int) -> Int? { u32(offset).map { Int(UInt32(bigEndian: $0)) } }

    package func u32LE(_ offset: Int) -> Int? { u32(offset).map { Int(UInt32(littleEndian: $0)) } }

    package func u24LE(_ offset: Int) -> Int? {
        guard let low = u16LE(offset), let high = u8(offset + 2) else { return nil }
        return low | high << 16
    }

    /// Whether the bytes at `offset` are those of `text`.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset <= byteCount - text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// A copy of the bytes in `range`, which must be within bounds.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { [UInt8]($0) }
    }

    private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number? {
        guard offset >= 0, offset <= byteCount - MemoryLayout<Number>.size else { return nil }
        return unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
    }
}
