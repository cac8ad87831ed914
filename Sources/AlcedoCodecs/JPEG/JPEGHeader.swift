import AlcedoPixels

/// The facts in the marker segments before the first scan of a JPEG.
struct JPEGHeader {
    /// The coding process, from the SOF marker.
    enum Coding {
        case sequential
        case progressive
        /// Lossless or hierarchical.
        case other
    }

    var size = PixelSize(width: 0, height: 0)
    var precision = 8
    var components = 0

    /// The number of coefficients of all components, padded to whole MCUs.
    var coefficients = 0

    /// The pixels of an MCU, by the largest sampling factors; of a picture of one component those of a block.
    var unit = PixelSize(width: 8, height: 8)

    var coding = Coding.sequential

    /// Whether there are several scans, so that libjpeg keeps the coefficients until the last one.
    var hasSeveralScans = false

    var orientation = ImageOrientation.up
    /// The bytes of the EXIF thumbnail, as the file states them.
    var thumbnail: Range<Int>?
    var isComplete = false

    /// The list of further pictures in the file (CIPA DC-007), a TIFF structure.
    private(set) var pictureList: Range<Int>?
    /// What a gain map says about itself (ISO 21496-1).
    private(set) var gainMapMetadata: Range<Int>?

    /// The chunks of an ICC profile with their sequence numbers.
    private var profilePieces: [(number: Int, range: Range<Int>)] = []

    /// Reads the marker segments, without pixels.
    init(_ bytes: RawSpan) throws(CodecError) {
        guard Self.isSignature(bytes) else { throw .corrupt(.jpeg, reason: "it has no JPEG signature") }
        var offset = 2
        var sawFrame = false
        while let marker = Self.nextMarker(in: bytes, from: &offset) {
            switch marker {
            case 0x01, 0xD0...0xD8: continue
            case 0xD9: throw .corrupt(.jpeg, reason: "it ends before its first scan")
            default: break
            }
            guard let length = bytes.u16BE(offset) else { break }
            // A length includes its own two bytes, but some encoders write 0 for an empty segment.
            let end = offset + max(length, 2)
            if marker == 0xDA {
                guard sawFrame else {
                    throw .corrupt(.jpeg, reason: "its scan comes before its frame header")
                }
                hasSeveralScans = coding == .progressive || bytes.u8(offset + 2) ?? 0 < components
                isComplete = Self.hasEnd(bytes, after: end)
                return
            }
            guard end <= bytes.byteCount else { break }
            let body = (offset + 2)..<end
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                // libjpeg rejects another, so which of two sizes counts is not to be decided here.
                guard !sawFrame else { throw .corrupt(.jpeg, reason: "it has two frame headers") }
                try readFrame(bytes, body, marker)
                sawFrame = true
            case 0xE1 where bytes.has("Exif\0\0", at: body.lowerBound):
                if orientation == .up { orientation = EXIF.orientation(in: bytes, at: body) }
                if thumbnail == nil { thumbnail = EXIF.thumbnail(in: bytes, at: body) }
            case 0xE2 where bytes.has("ICC_PROFILE\0", at: body.lowerBound):
                // Sequence numbers are bytes.
                if let number = bytes.u8(body.lowerBound + 12), body.count > 14, profilePieces.count < 256 {
                    profilePieces.append((number, (body.lowerBound + 14)..<end))
                }
            case 0xE2 where bytes.has("MPF\0", at: body.lowerBound): pictureList = body.dropFirst(4)
            case 0xE2 where bytes.has(Self.gainMapMark, at: body.lowerBound):
                gainMapMetadata = body.dropFirst(Self.gainMapMark.utf8CodeUnitCount)
            default: break
            }
            offset = end
        }
        guard sawFrame else { throw .truncated(.jpeg) }
    }

    /// Whether there may be a profile for red, green and blue.
    var mayHaveRGBProfile: Bool { components == 3 && !profilePieces.isEmpty }

    var coefficientBytes: Int { coefficients * 2 }

    /// The bytes of the coefficients, of libjpeg's tables and a few rows.
    var memoryLimit: Int { coefficientBytes + (16 << 20) }

    /// The embedded ICC profile; nil if there is none, it is incomplete or it has more than `limit` bytes.
    func profile(in bytes: RawSpan, limit: Int) -> [UInt8]? {
        if profilePieces.isEmpty { return nil }
        let pieces = profilePieces.sorted { $0.number < $1.number }
        let isWhole = pieces.enumerated().allSatisfy { $0.offset + 1 == $0.element.number }
        let count = pieces.reduce(0) { $0 + $1.range.count }
        guard isWhole, count <= limit else { return nil }
        return pieces.flatMap { bytes.copy($0.range) }
    }

    static let gainMapMark: StaticString = "urn:iso:std:iso:ts:21496:-1\0"

    static func isSignature(_ bytes: RawSpan) -> Bool {
        bytes.u16BE(0) == 0xFFD8 && bytes.u8(2) == 0xFF
    }

    private mutating func readFrame(_ bytes: RawSpan, _ body: Range<Int>, _ marker: Int) throws(CodecError) {
        guard body.count >= 6, let precision = bytes.u8(body.lowerBound),
            let height = bytes.u16BE(body.lowerBound + 1), let width = bytes.u16BE(body.lowerBound + 3),
            let components = bytes.u8(body.lowerBound + 5)
        else { throw .corrupt(.jpeg, reason: "its frame header is too short") }
        size = PixelSize(width: width, height: height)
        self.precision = precision
        self.components = components
        countCoefficients(bytes, at: (body.lowerBound + 6)..<body.upperBound)
        coding =
            switch marker {
            case 0xC0, 0xC1, 0xC9: .sequential
            case 0xC2, 0xCA: .progressive
            default: .other
            }
    }

    /// Counts coefficients by the sampling factors of the frame header at `range`.
    ///
    /// An invalid factor counts as the largest; libjpeg rejects it.
    private mutating func countCoefficients(_ bytes: RawSpan, at range: Range<Int>) {
        var (most, blocks) = ((across: 1, down: 1), 0)
        for offset in stride(from: range.lowerBound, to: range.upperBound - 2, by: 3) {
            let factors = bytes.u8(offset + 1) ?? 0
            var (across, down) = (factors >> 4, factors & 15)
            if !(1...4).contains(across) || !(1...4).contains(down) { (across, down) = (4, 4) }
            most = (max(most.across, across), max(most.down, down))
            blocks += across * down
        }
        let columns = (size.width + 8 * most.across - 1) / (8 * most.across)
        let rows = (size.height + 8 * most.down - 1) / (8 * most.down)
        coefficients = columns * rows * blocks * 64
        if components > 1 { unit = PixelSize(width: 8 * most.across, height: 8 * most.down) }
    }

    /// Reads the next marker; nil at the end of `bytes`.
    static func nextMarker(in bytes: RawSpan, from offset: inout Int) -> Int? {
        while let byte = bytes.u8(offset) {
            offset += 1
            guard byte == 0xFF else { continue }
            while let marker = bytes.u8(offset) {
                offset += 1
                if marker == 0xFF { continue }
                if marker == 0 { break }
                return marker
            }
        }
        return nil
    }

    /// Whether an EOI marker follows `start`; searches backwards, because it is usually at the end.
    private static func hasEnd(_ bytes: RawSpan, after start: Int) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var index = buffer.count - 2
            while index >= start {
                if buffer[index + 1] == 0xD9, buffer[index] == 0xFF { return true }
                index -= 1
            }
            return false
        }
    }
}
