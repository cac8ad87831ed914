/// Bytes that are read in parts: those in memory, or those of a file, which is never read whole.
package struct MetadataSource {
    let count: Int

    /// Copies bytes from an offset; false if they cannot be read.
    private let copy: (Int, UnsafeMutableRawBufferPointer) -> Bool

    /// `copy` is called for ranges below `count` only.
    package init(count: Int, copy: @escaping (Int, UnsafeMutableRawBufferPointer) -> Bool) {
        (self.count, self.copy) = (count, copy)
    }

    init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { offset, target in
            target.copyBytes(from: bytes[offset..<offset + target.count])
            return true
        }
    }

    /// Calls `body` with a source of `bytes`, which is valid only for so long.
    static func lending<Result>(_ bytes: RawSpan, _ body: (MetadataSource) -> Result) -> Result {
        bytes.withUnsafeBytes { buffer in
            body(
                MetadataSource(count: buffer.count) { offset, target in
                    target.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + target.count]))
                    return true
                })
        }
    }

    /// The bytes in `range`; nil unless all of them are there.
    func bytes(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        var isRead = true
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { target, initialized in
            isRead = range.isEmpty || copy(range.lowerBound, UnsafeMutableRawBufferPointer(target))
            initialized = isRead ? range.count : 0
        }
        return isRead ? bytes : nil
    }

    /// A number of up to 8 bytes; nil beyond the end, and for one that `Int` does not have.
    func number(_ offset: Int, _ width: Int, isBig: Bool = true) -> Int? {
        guard offset >= 0, (1...8).contains(width), offset <= count - width else { return nil }
        var stored: UInt64 = 0
        let isRead = withUnsafeMutableBytes(of: &stored) { buffer in
            copy(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<width]))
        }
        guard isRead else { return nil }
        // The bytes are the first ones in memory.
        let value =
            isBig
            ? UInt64(bigEndian: stored) >> (8 * UInt64(8 - width)) : UInt64(littleEndian: stored)
        return Int(exactly: value)
    }

    /// Whether the bytes at `offset` are those of `text`.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, offset <= count - length, let bytes = bytes(offset..<offset + length) else {
            return false
        }
        return bytes.span.bytes.has(text, at: 0)
    }
}
