import AlcedoPixels

/// Extracts the code stream of a file, so that libjxl reads exactly the bytes that were checked.
enum JXLContainer {
    /// A code stream, and whether its boxes are complete.
    struct Content {
        var codestream: EncodedBytes
        var isWhole = true
    }

    /// Whether `bytes` start as a code stream or a container does (ISO/IEC 18181-2).
    static func hasSignature(_ bytes: RawSpan) -> Bool {
        number(bytes, 0, 2) == 0xFF0A
            || number(bytes, 0, 8) == 0x0000_000C_4A58_4C20 && number(bytes, 8, 4) == 0x0D0A_870A
    }

    /// The code stream in `bytes`: all of them, a part, or several parts, which are concatenated.
    ///
    /// Trailing bytes are ignored.
    static func content(of bytes: EncodedBytes) -> Content {
        let span = bytes.buffer.bytes
        guard number(span, 0, 2) != 0xFF0A else { return Content(codestream: bytes) }
        var parts: [Range<Int>] = []
        var isWhole = false
        var offset = 0
        while !isWhole, let box = box(span, offset) {
            let isThere = box.content.upperBound <= span.byteCount
            let content = box.content.clamped(to: 0..<span.byteCount)
            offset = content.upperBound
            switch box.kind {
            case kind("jxlc"):
                parts.append(content)
                isWhole = isThere
            // Four bytes number the part; the highest bit is that of the last one.
            case kind("jxlp") where content.count >= 4:
                parts.append(content.dropFirst(4))
                isWhole = isThere && (number(span, content.lowerBound, 1) ?? 0) & 0x80 != 0
            default: break
            }
        }
        return Content(codestream: joined(parts, of: bytes), isWhole: isWhole)
    }

    private static func joined(_ parts: [Range<Int>], of bytes: EncodedBytes) -> EncodedBytes {
        if parts.count == 1 {
            return EncodedBytes(
                sharing: UnsafeRawBufferPointer(rebasing: bytes.buffer[parts[0]]), of: bytes)
        }
        let all = parts.flatMap { bytes.buffer[$0] }
        return EncodedBytes(copying: all.span.bytes)
    }

    /// The box at `offset`, which may reach beyond the bytes; nil where there is none.
    private static func box(_ bytes: RawSpan, _ offset: Int) -> (kind: Int, content: Range<Int>)? {
        guard let length = number(bytes, offset, 4), let kind = number(bytes, offset + 4, 4) else {
            return nil
        }
        switch length {
        case 0: return (kind, (offset + 8)..<bytes.byteCount)
        case 1:
            guard let long = number(bytes, offset + 8, 8), long >= 16, long < 1 << 48 else { return nil }
            return (kind, (offset + 16)..<(offset + long))
        case 2..<8: return nil
        default: return (kind, (offset + 8)..<(offset + length))
        }
    }

    /// A big-endian number of `count` bytes.
    private static func number(_ bytes: RawSpan, _ offset: Int, _ count: Int) -> Int? {
        guard offset <= bytes.byteCount - count else { return nil }
        return (0..<count).reduce(0) {
            $0 << 8 | Int(bytes.unsafeLoad(fromByteOffset: offset + $1, as: UInt8.self))
        }
    }

    private static func kind(_ text: StaticString) -> Int {
        (0..<text.utf8CodeUnitCount).reduce(0) { $0 << 8 | Int(text.utf8Start[$1]) }
    }
}
