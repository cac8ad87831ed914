import Alcedo
import AlcedoCodecs
import AlcedoPixels

/// What a still result keeps of the colours of its source; otherwise it has 8 bits of sRGB.
struct KeptColors {
    /// Whether it has the source's space, in 8 bits or more.
    let hasSpace: Bool

    /// Whether it has more than 8 bits, and with them the light of PQ and HLG.
    let hasDepth: Bool

    private let format: EncodedFormat

    /// What a result in `format` keeps of `source` by the options of a URL.
    init(_ options: ProcessingOptions, format: EncodedFormat, source: EncodedImage) {
        self.format = format
        hasSpace = !options.stripColorProfile && (format.holdsProfile || format.holdsCodePoints)
        hasDepth =
            options.preserveHDR && format.holdsDepth
            && (source.storedBits ?? 16 > 8 || format.holdsCodePoints && source.gainMap != nil)
    }

    /// How the source is decoded.
    var retention: ColorRetention {
        guard hasDepth else { return hasSpace ? .full : .standard }
        return format.holdsCodePoints ? .hdr : .full
    }

    /// Bytes of memory for each pixel of the source beside those that are decoded.
    var bytesOfSource: Int { retention == .standard ? 0 : hasDepth ? 8 : 4 }

    /// What to draw on, and the space of its samples where they have 8 bits.
    func pixels(of bitmap: Bitmap) throws(CodecError) -> (pixels: Bitmap, space: ColorSpace) {
        guard bitmap.isDeep else { return (bitmap, .sRGB) }
        guard hasDepth else {
            // What has a profile stays in its own space, and all that is drawn is drawn there.
            let (pixels, profile) = try bitmap.eightBits(isStraight: false)
            return (pixels, profile == nil ? .sRGB : bitmap.colorSpace)
        }
        // The light of PQ and HLG is more than a space: formats without code points have no room for it.
        let isKept = bitmap.isHDR ? format.holdsCodePoints : hasSpace
        return (isKept ? bitmap : try bitmap.inSRGB(), .sRGB)
    }

    /// The rendered pixels as the encoder takes them, with its options for their colours.
    func encodable(
        _ pixels: Bitmap, _ space: ColorSpace
    ) throws(CodecError) -> (pixels: Bitmap, profile: [UInt8]?, depth: Int?) {
        guard space != .sRGB, !pixels.isDeep else { return (pixels, nil, nil) }
        if format.holdsProfile { return (pixels, space.profile, nil) }
        return (try pixels.assigned(space), nil, 8)
    }
}

extension EncodedFormat {
    /// Whether files name their colours by numbers.
    fileprivate var holdsCodePoints: Bool { [.png, .avif, .heic, .jxl].contains(self) }

    /// Whether files have more than 8 bits of a channel.
    fileprivate var holdsDepth: Bool { holdsCodePoints || self == .tiff }
}
