import Alcedo
import AlcedoPixels

/// `--color` and `--depth` of `get`: which colours files have.
struct ColorOptions: Sendable {
    static let options: [Arguments.Option] = [.value("color"), .value("depth")]

    static let details = """
          --color srgb|p3|keep|hdr
                             srgb, the default: files are sRGB; p3: they are Display P3, as far as the image has such
                             colours; keep: images keep their colour space; hdr: and those with a gain map that is
                             applied have PQ. With these three they have up to 16 bits a channel as far as the steps and
                             the format do; a changed JPEG then becomes a PNG without --format
          --depth 8|10|12|16 bits of a channel, if the format has so many: PNG and TIFF 8 and 16; AVIF and HEIC 8, 10
                             and 12; JPEG XL all; others 8
        """

    /// How much a load keeps.
    let retention: ColorRetention
    /// Converts the pixels, after all other steps; nil if that is not necessary.
    let processor: (any ImageProcessor)?
    let depth: Int?

    private let isWide: Bool

    init(_ arguments: Arguments) throws {
        let depth = try arguments.integer("depth", in: 8...16)
        guard depth.map({ [8, 10, 12, 16].contains($0) }) ?? true else {
            throw UsageError(message: "--depth takes 8, 10, 12 or 16")
        }
        self.depth = depth
        isWide = arguments.value("color") == "p3"
        switch arguments.value("color") {
        case nil, "srgb":
            // More than 8 bits of sRGB are what is left of all bits that the image has.
            let isDeep = depth ?? 8 > 8
            (retention, processor) = isDeep ? (.full, ColorSpaceProcessor(.sRGB)) : (.standard, nil)
        case "p3": (retention, processor) = (.full, ColorSpaceProcessor(.displayP3))
        case "keep": (retention, processor) = (.full, nil)
        case "hdr": (retention, processor) = (.hdr, nil)
        case .some(let word):
            throw UsageError(message: "--color takes srgb, p3, keep or hdr, not “\(word)”")
        }
    }

    /// Throws if a file in this format can't have the colours.
    func check(_ format: EncodedFormat?, isAnimated: Bool = false) throws {
        guard let format else { return }
        if let reason = format.reason(against: depth) { throw Failure("--depth: \(reason)") }
        if isWide, [.gif, .bmp, .ico].contains(format) {
            throw Failure("--color p3: a \(format) is always sRGB")
        }
        if isAnimated, isWide || depth ?? 8 > 8 {
            throw Failure("--color p3 and --depth: an animation has 8 bits of sRGB")
        }
    }
}
