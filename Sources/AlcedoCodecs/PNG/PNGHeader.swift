import AlcedoPixels

/// The facts in a PNG's chunks, read without inflating.
struct PNGHeader {
    enum Color: Int {
        case grey = 0
        case rgb = 2
        case palette = 3
        case greyAlpha = 4
        case rgba = 6
    }

    var size: PixelSize
    var color: Color
    var isInterlaced: Bool
    /// Whether channels have 8 bits, rows are not interlaced, and the compression and filter methods are 0.
    var isPlain: Bool
    /// Whether channels have 16 bits.
    var isDeep: Bool
    var hasTransparency = false
    var profile: Range<Int>?
    /// EXIF's, from an `eXIf` chunk, else from the text in which programs kept EXIF before that chunk was standardised.
    var orientation: ImageOrientation { chunkOrientation ?? textOrientation ?? .up }

    private var chunkOrientation: ImageOrientation?
    /// That of the first text with EXIF.
    private var textOrientation: ImageOrientation?
    /// How many texts were read for it.
    private var textCount = 0

    /// The encoding of a `cICP` chunk; it overrides a profile.
    var encoding: RGBEncoding?

    /// The numbers of ``encoding``.
    private(set) var codePoints: ColorSpace?

    /// The animation, if the file has one.
    private var animation: APNGAnimation?

    /// The chunks before the pixels that decoding depends on, in the standard's order.
    var sharedChunks: [Range<Int>] = []

    var isComplete = false

    /// The end of the last complete chunk.
    private(set) var end = 33

    private var sawImage = false

    /// Replacements for bytes that viewers accept and the decoder does not.
    private(set) var repairs: [PNGRepair] = []

    /// Runs of chunks that the decoder does not need, in order; without `profile`.
    var skippedChunks: [Range<Int>] = []

    /// Reads the chunk headers; the decoder checks checksums.
    ///
    /// With `allowsTruncation` the last `IDAT` chunk may be incomplete.
    init(_ bytes: RawSpan, allowsTruncation: Bool = false) throws(CodecError) {
        guard Self.isSignature(bytes) else { throw .corrupt(.png, reason: "it has no PNG signature") }
        // The signature and `IHDR`.
        guard bytes.byteCount >= 33 else { throw .truncated(.png) }
        guard bytes.u32BE(8) == 13, bytes.has("IHDR", at: 12), let width = bytes.u32BE(16),
            let height = bytes.u32BE(20), let color = bytes.u8(25).flatMap(Color.init(rawValue:))
        else { throw .corrupt(.png, reason: "its IHDR chunk is invalid") }
        size = PixelSize(width: width, height: height)
        self.color = color
        isInterlaced = bytes.u8(28) == 1
        isDeep = bytes.u8(24) == 16
        isPlain = bytes.u8(24) == 8 && bytes.u16BE(26) == 0 && bytes.u8(28) == 0
        walk(bytes)
        repair(bytes, allowsTruncation: allowsTruncation)
    }

    /// Whether the first image of the file is the first that is shown.
    var showsStillImageFirst: Bool { animation.map { $0.frames.first?.isStillImage == true } ?? true }

    /// Whether all pixels may be there although the final chunk is missing.
    var mayLackOnlyItsEnd: Bool { !isComplete && sawImage && animation?.isValid != false }

    /// Whether pixels may be transparent.
    var hasAlpha: Bool { color == .greyAlpha || color == .rgba || hasTransparency }

    /// The frames of a valid animation; else empty.
    var frames: [APNGFrame] { animation.flatMap { $0.isValid ? $0.frames : nil } ?? [] }

    /// The number of plays; 0 for infinite.
    var loopCount: Int { frames.count > 1 ? animation?.loopCount ?? 1 : 1 }

    static func isSignature(_ bytes: RawSpan) -> Bool {
        bytes.u32BE(0) == 0x8950_4E47 && bytes.u32BE(4) == 0x0D0A_1A0A
    }

    private mutating func walk(_ bytes: RawSpan) {
        var offset = 33
        while let length = bytes.u32BE(offset), offset + 12 + length <= bytes.byteCount {
            let chunk = offset..<(offset + 12 + length)
            let body = (offset + 8)..<(offset + 8 + length)
            switch bytes.u32BE(offset + 4) {
            case Self.iend:
                isComplete = true
                return
            case Self.idat: sawImage = true
            case Self.plte:
                // For other colour types it is only a suggestion.
                if color == .palette { share(chunk) } else { skip(chunk) }
            case Self.trns:
                hasTransparency = true
                share(chunk)
            case Self.iccp where profile == nil:
                profile = chunk
                share(chunk)
            case Self.cicp:
                if !sawImage, encoding == nil, PNGChecksum.isValid(in: bytes, chunk) {
                    encoding = length == 4 ? RGBEncoding(codePoints: bytes, at: body.lowerBound) : nil
                    if encoding != nil, let primaries = bytes.u8(body.lowerBound),
                        let transfer = bytes.u8(body.lowerBound + 1)
                    {
                        codePoints = .codePoints(primaries: UInt8(primaries), transfer: UInt8(transfer))
                    }
                }
                // Animations' frames need it; libspng does not know it.
                share(chunk)
                skip(chunk)
            case Self.exif:
                // Of several the first counts, as in its metadata.
                if chunkOrientation == nil { chunkOrientation = EXIF.orientation(in: bytes, at: body) }
                skip(chunk)
            case Self.text, Self.ztxt, Self.itxt:
                if textOrientation == nil, textCount < PNGRawProfile.mostTexts,
                    let profile = PNGRawProfile(bytes, chunk)
                {
                    textCount += 1
                    textOrientation = profile.exif.map {
                        EXIF.orientation(in: $0.span.bytes, at: 0..<$0.count)
                    }
                }
                skip(chunk)
            case Self.actl:
                if !sawImage, animation == nil { animation = APNGAnimation(bytes, body: body) }
                skip(chunk)
            case Self.fctl:
                animation?.addControl(bytes, body: body, canvas: size, beforeImage: !sawImage)
                skip(chunk)
            case Self.fdat:
                animation?.addData(bytes, body: body)
                skip(chunk)
            case .some(let type) where type & Self.ancillary != 0: skip(chunk)
            default: break
            }
            offset = chunk.upperBound
            end = offset
        }
    }

    /// Records faults that viewers accept: transparency before the palette, too large a palette, and a missing end.
    private mutating func repair(_ bytes: RawSpan, allowsTruncation: Bool) {
        if !isComplete {
            repairs +=
                (allowsTruncation ? PNGRepair.imageData(bytes, at: end) : nil)
                ?? [PNGRepair(range: end..<bytes.byteCount, bytes: PNGRepair.end)]
        }
        let palettes = sharedChunks.filter { bytes.u32BE($0.lowerBound + 4) == Self.plte }
        let transparencies = sharedChunks.filter { bytes.u32BE($0.lowerBound + 4) == Self.trns }
        guard color == .palette, palettes.count == 1, transparencies.count < 2 else { return }
        let palette = palettes[0]
        var repaired = PNGRepair.palette(bytes, palette)
        if let early = transparencies.first, early.lowerBound < palette.lowerBound {
            repairs.append(PNGRepair(range: early, bytes: []))
            repaired = (repaired ?? bytes.copy(palette)) + bytes.copy(early)
            sharedChunks.removeAll { $0 == early }
            sharedChunks.append(early)
        }
        if let repaired { repairs.append(PNGRepair(range: palette, bytes: repaired)) }
    }

    private mutating func share(_ chunk: Range<Int>) {
        // The decoder rejects duplicates.
        if sharedChunks.count < 8 { sharedChunks.append(chunk) }
    }

    private mutating func skip(_ chunk: Range<Int>) {
        if let last = skippedChunks.last, last.upperBound == chunk.lowerBound {
            skippedChunks[skippedChunks.count - 1] = last.lowerBound..<chunk.upperBound
        } else {
            skippedChunks.append(chunk)
        }
    }

    /// The bit of an ancillary chunk: its name starts with a lower-case letter.
    static let ancillary: Int = 0x2000_0000
    static let iend: Int = 0x4945_4E44
    private static let trns: Int = 0x7452_4E53
    static let iccp: Int = 0x6943_4350
    static let exif: Int = 0x6558_4966
    static let text: Int = 0x7445_5874
    static let ztxt: Int = 0x7A54_5874
    static let itxt: Int = 0x6954_5874
    private static let cicp: Int = 0x6349_4350
    static let idat: Int = 0x4944_4154
    private static let plte: Int = 0x504C_5445
    private static let actl: Int = 0x6163_544C
    private static let fctl: Int = 0x6663_544C
    private static let fdat: Int = 0x6664_4154
}
