import AlcedoPixels

/// The facts in a WebP's RIFF chunks.
struct WebPHeader {
    var size = PixelSize(width: 0, height: 0)
    var hasAlpha = false
    var isAnimated = false
    var isLossless = false
    var frameCount = 1
    var loopCount = 1

    /// The duration of each frame of an animation, in milliseconds.
    var durations: [UInt32] = []

    var orientation = ImageOrientation.up
    var profile: Range<Int>?

    /// Whether all bytes announced by the RIFF header are there.
    var isComplete = false

    /// Reads the chunk headers; a simple file has one chunk.
    init(_ bytes: RawSpan) throws(CodecError) {
        guard Self.isSignature(bytes), let riffSize = bytes.u32LE(4) else {
            throw .corrupt(.webp, reason: "it has no WebP signature")
        }
        let end = min(8 + riffSize, bytes.byteCount)
        isComplete = 8 + riffSize <= bytes.byteCount
        guard bytes.byteCount >= 25 else { throw .truncated(.webp) }
        if bytes.has("VP8 ", at: 12) {
            try readLossy(bytes, at: 20)
        } else if bytes.has("VP8L", at: 12) {
            try readLossless(bytes, at: 20)
        } else if bytes.has("VP8X", at: 12) {
            try readExtended(bytes, until: end)
        } else {
            throw .corrupt(.webp, reason: "its first chunk has an unknown type")
        }
    }

    static func isSignature(_ bytes: RawSpan) -> Bool { bytes.has("RIFF", at: 0) && bytes.has("WEBP", at: 8) }

    private mutating func readLossy(_ bytes: RawSpan, at body: Int) throws(CodecError) {
        guard let width = bytes.u16LE(body + 6), let height = bytes.u16LE(body + 8) else {
            throw .truncated(.webp)
        }
        guard bytes.u24LE(body + 3) == 0x2A_019D else {
            throw .corrupt(.webp, reason: "its VP8 frame header is invalid")
        }
        // The two bits above are a scale for the display (RFC 6386, 9.1).
        size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }

    private mutating func readLossless(_ bytes: RawSpan, at body: Int) throws(CodecError) {
        guard bytes.u8(body) == 0x2F, let bits = bytes.u32LE(body + 1) else {
            throw .corrupt(.webp, reason: "its VP8L header is invalid")
        }
        size = PixelSize(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
        hasAlpha = bits >> 28 & 1 == 1
        isLossless = true
    }

    /// Whether libwebp can scale row by row with correct colours.
    ///
    /// libwebp decodes a lossless image at full size before it scales. It scales colours and a separate alpha plane
    /// independently, so colours of transparent pixels bleed.
    var isScaledByRows: Bool { !isAnimated && !isLossless && !hasAlpha }

    private mutating func readExtended(_ bytes: RawSpan, until end: Int) throws(CodecError) {
        guard let flags = bytes.u8(20), let width = bytes.u24LE(24), let height = bytes.u24LE(27) else {
            throw .truncated(.webp)
        }
        size = PixelSize(width: width + 1, height: height + 1)
        hasAlpha = flags & 0x10 != 0
        isAnimated = flags & 0x02 != 0
        var hasEXIF = false
        var offset = 12
        while let length = bytes.u32LE(offset + 4), offset + 8 + length <= end {
            let body = (offset + 8)..<(offset + 8 + length)
            // A shorter chunk has no frame; skipping it bounds the list by the bytes.
            if bytes.has("ANMF", at: offset), length >= 24 {
                durations.append(UInt32(bytes.u24LE(body.lowerBound + 12) ?? 0))
            } else if bytes.has("ANIM", at: offset) {
                loopCount = bytes.u16LE(body.lowerBound + 4) ?? 1
            } else if bytes.has("ALPH", at: offset) {
                hasAlpha = true
            } else if bytes.has("VP8L", at: offset), let bits = bytes.u32LE(body.lowerBound + 1) {
                hasAlpha = bits >> 28 & 1 == 1
                isLossless = true
            } else if bytes.has("EXIF", at: offset), !hasEXIF {
                // Of several the first counts, as in its metadata.
                hasEXIF = true
                orientation = EXIF.orientation(in: bytes, at: body)
            } else if bytes.has("ICCP", at: offset), profile == nil {
                profile = body
            }
            offset = body.upperBound + (length & 1)
        }
        if isAnimated { frameCount = max(durations.count, 1) }
        // A file of one frame may say that it is repeated.
        if frameCount == 1 { loopCount = 1 }
    }
}
