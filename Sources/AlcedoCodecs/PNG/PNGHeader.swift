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
    /// Whether channels have 8 bits, rows are in order, and methods are those of the standard.
    var isPlain: Bool
    var hasTransparency = false
    var profile: Range<Int>?
    var orientation = Orientation.up

    /// The encoding of a `cICP` chunk; it overrides a profile.
    var encoding: RGBEncoding?

    /// The animation, if the file has one.
    private var animation: APNGAnimation?

    /// The chunks before the pixels that decoding depends on, in the standard's order.
    var sharedChunks: [Range<Int>] = []

    /// Whether the final chunk was reached.
    var isComplete = false

    /// Where the last whole chunk ends.
    private(set) var end = 33

    private var sawImage = false

    /// Replacements for bytes that viewers accept and the decoder does not.
    private(set) var repairs: [PNGRepair] = []

    /// Runs of chunks that do not bear on the pixels, in order, other than `profile`.
    var baggage: [Range<Int>] = []

    /// Checksums are left to the decoder.
    init(_ bytes: RawSpan) throws(CodecError) {
        guard Self.isSignature(bytes) else { throw .corrupt(.png, reason: "it has no PNG signature") }
        guard bytes.byteCount >= 33 else { throw .truncated(.png) }
        guard bytes.u32BE(8) == 13, bytes.has("IHDR", at: 12), let width = bytes.u32BE(16),
            let height = bytes.u32BE(20), let color = bytes.u8(25).flatMap(Color.init(rawValue:))
        else { throw .corrupt(.png, reason: "its header chunk is wrong") }
        size = PixelSize(width: width, height: height)
        self.color = color
        isInterlaced = bytes.u8(28) == 1
        isPlain = bytes.u8(24) == 8 && bytes.u16BE(26) == 0 && bytes.u8(28) == 0
        walk(bytes)
        repair(bytes)
    }

    /// Whether its chunks may hold every pixel, though the final one is missing.
    var mayLackOnlyItsEnd: Bool { !isComplete && sawImage && animation?.isSound != false }

    /// Whether some pixel may be transparent.
    var hasAlpha: Bool { color == .greyAlpha || color == .rgba || hasTransparency }

    /// The frames, if it is a sound animation.
    var frames: [APNGFrame] { animation.flatMap { $0.isSound ? $0.frames : nil } ?? [] }

    /// How often the animation plays, 0 for ever.
    var loopCount: Int { frames.isEmpty ? 1 : animation?.loopCount ?? 1 }

    /// Whether `bytes` start with a PNG signature.
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
                // Others need none: it is for screens of few colours.
                if color == .palette { share(chunk) } else { discard(chunk) }
            case Self.trns:
                hasTransparency = true
                share(chunk)
            case Self.iccp where profile == nil:
                profile = chunk
                share(chunk)
            case Self.cicp:
                if !sawImage, encoding == nil, PNGChecksum.isRight(in: bytes, chunk) {
                    encoding = RGBEncoding(png: bytes, body)
                }
                share(chunk)
                discard(chunk)
            case Self.exif:
                orientation = EXIF.orientation(in: bytes, at: body)
                discard(chunk)
            case Self.actl:
                if !sawImage, animation == nil { animation = APNGAnimation(bytes, body: body) }
                discard(chunk)
            case Self.fctl:
                animation?.addControl(bytes, body: body, canvas: size, beforeImage: !sawImage)
                discard(chunk)
            case Self.fdat:
                animation?.addData(bytes, body: body)
                discard(chunk)
            case .some(let type) where type & Self.ancillary != 0: discard(chunk)
            default: break
            }
            offset = chunk.upperBound
            end = offset
        }
    }

    /// Records faults that viewers accept: transparency before the palette, too large a palette, and a missing end.
    private mutating func repair(_ bytes: RawSpan) {
        if !isComplete { repairs.append(PNGRepair(range: end..<bytes.byteCount, bytes: PNGRepair.end)) }
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
        // More than one of a kind breaks a rule, which the decoder sees for itself.
        if sharedChunks.count < 8 { sharedChunks.append(chunk) }
    }

    private mutating func discard(_ chunk: Range<Int>) {
        if let last = baggage.last, last.upperBound == chunk.lowerBound {
            baggage[baggage.count - 1] = last.lowerBound..<chunk.upperBound
        } else {
            baggage.append(chunk)
        }
    }

    /// Lower case in the first letter of a chunk's name.
    static let ancillary: Int = 0x2000_0000
    static let iend: Int = 0x4945_4E44
    private static let trns: Int = 0x7452_4E53
    private static let iccp: Int = 0x6943_4350
    private static let exif: Int = 0x6558_4966
    private static let cicp: Int = 0x6349_4350
    static let idat: Int = 0x4944_4154
    private static let plte: Int = 0x504C_5445
    private static let actl: Int = 0x6163_544C
    private static let fctl: Int = 0x6663_544C
    private static let fdat: Int = 0x6664_4154
}
