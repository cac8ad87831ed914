import AlcedoPixels

/// The facts in a GIF's blocks, read without decoding pixels.
struct GIFHeader {
    /// The screen, and as much more of each side as the first frame needs.
    ///
    /// Some files have a screen of 0 × 0, or one that is smaller than all they show. Browsers show the first frame
    /// whole and clip later ones.
    private(set) var size: PixelSize
    var frameCount: Int { delays.count }
    var loopCount = 1
    var hasAlpha = false

    /// The delay of each frame, in hundredths of a second.
    var delays: [UInt16] = []

    /// Whether the trailer was reached, or the end of the bytes after a complete frame.
    var isComplete = false

    init(_ bytes: RawSpan) throws(CodecError) {
        guard Self.isSignature(bytes) else { throw .corrupt(.gif, reason: "it has no GIF signature") }
        guard let width = bytes.u16LE(6), let height = bytes.u16LE(8), let flags = bytes.u8(10) else {
            throw .truncated(.gif)
        }
        size = PixelSize(width: width, height: height)
        walk(bytes, from: 13 + Self.tableSize(flags))
        guard !size.isEmpty || frameCount > 0 || isComplete else { throw .truncated(.gif) }
    }

    static func isSignature(_ bytes: RawSpan) -> Bool {
        bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0)
    }

    private mutating func walk(_ bytes: RawSpan, from start: Int) {
        var offset = start
        var delay: UInt16 = 0
        while let introducer = bytes.u8(offset) {
            switch introducer {
            case 0x21:
                guard let label = bytes.u8(offset + 1) else { return }
                readExtension(bytes, label, at: offset + 2)
                if label == 0xF9, let next = bytes.u16LE(offset + 4) { delay = UInt16(next) }
                guard let end = Self.endOfBlocks(bytes, from: offset + 2) else { return }
                offset = end
            case 0x2C:
                guard let flags = bytes.u8(offset + 9) else { return }
                readFrame(bytes, at: offset + 1)
                let data = offset + 11 + Self.tableSize(flags)
                guard let end = Self.endOfBlocks(bytes, from: data) else { return }
                delays.append(delay)
                delay = 0
                offset = end
            default:
                // The trailer, or invalid data, which browsers treat as the trailer.
                isComplete = introducer == 0x3B || frameCount > 0
                return
            }
        }
        isComplete = frameCount > 0 && offset == bytes.byteCount
    }

    private mutating func readExtension(_ bytes: RawSpan, _ label: Int, at offset: Int) {
        if label == 0xF9, let flags = bytes.u8(offset + 1) {
            if flags & 1 == 1 || flags >> 2 & 7 == 2 { hasAlpha = true }
        } else if label == 0xFF, Self.isLooping(bytes, at: offset), let repeats = bytes.u16LE(offset + 14) {
            loopCount = repeats == 0 ? 0 : repeats + 1
        }
    }

    private mutating func readFrame(_ bytes: RawSpan, at offset: Int) {
        guard frameCount == 0, let left = bytes.u16LE(offset), let top = bytes.u16LE(offset + 2),
            let width = bytes.u16LE(offset + 4), let height = bytes.u16LE(offset + 6)
        else { return }
        if width > 0, height > 0 {
            size = PixelSize(width: max(size.width, left + width), height: max(size.height, top + height))
        }
        if left > 0 || top > 0 || width < size.width || height < size.height { hasAlpha = true }
    }

    private static func isLooping(_ bytes: RawSpan, at offset: Int) -> Bool {
        let isKnown = bytes.has("NETSCAPE2.0", at: offset + 1) || bytes.has("ANIMEXTS1.0", at: offset + 1)
        return isKnown && bytes.u8(offset + 12) == 3 && bytes.u8(offset + 13) == 1
    }

    /// Bytes of the colour table, from the packed `flags`.
    static func tableSize(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1) }

    /// The end of the chain of sub-blocks at `start`; nil if the bytes end first.
    static func endOfBlocks(_ bytes: RawSpan, from start: Int) -> Int? {
        var offset = start
        while let length = bytes.u8(offset) {
            // Most sub-blocks have the maximum length. A branch lets the processor speculate over several of them.
            if length == 255 {
                offset += 256
                continue
            }
            offset += 1 + length
            if length == 0 { return offset }
        }
        return nil
    }
}
