import AlcedoPixels

extension Setting {
    static let encoding: [Setting] = [
        Setting(
            "JPEG_PROGRESSIVE", "false",
            "whether JPEGs are progressive, which takes longer and makes most smaller"
        ) {
            $0.urls.defaults.encoding.jpeg.isProgressive = try truth($1)
        },
        Setting("JPEG_NO_SUBSAMPLE", "false", "whether JPEGs are encoded without chroma subsampling") {
            $0.urls.defaults.encoding.jpeg.keepsChroma = try truth($1)
        },
        Setting("PNG_INTERLACED", "false", "whether PNGs are interlaced") {
            $0.urls.defaults.encoding.png.isInterlaced = try truth($1)
        },
        Setting("PNG_QUANTIZE", "false", "whether PNGs are reduced to a palette") {
            $0.urls.defaults.encoding.png.isQuantized = try truth($1)
        },
        Setting("PNG_QUANTIZATION_COLORS", "256", "the most colours of the palette, from 2 to 256") {
            $0.urls.defaults.encoding.png.mostColors = try whole($1, 2...256)
        },
        Setting("WEBP_COMPRESSION", "lossy", "the compression of WebP: lossy, near_lossless or lossless") {
            $0.urls.defaults.encoding.webP.compression = try choice($1)
        },
        Setting(
            "WEBP_SMART_SUBSAMPLE", "false",
            "whether lossy WebPs use slower chroma subsampling with sharper edges"
        ) {
            $0.urls.defaults.encoding.webP.usesSharpYUV = try truth($1)
        },
        Setting(
            "WEBP_PRESET", "default",
            "what still WebPs are optimised for: default, photo, picture, drawing, icon or text"
        ) {
            $0.urls.defaults.encoding.webP.preset = try choice($1)
        },
        Setting("AVIF_SUBSAMPLE", "auto", "chroma subsampling of AVIF: auto, on or off") {
            $0.urls.defaults.encoding.avifChroma = try choice($1)
        },
        Setting(
            "AUTOQUALITY_METHOD", "none",
            "the measure by which the quality is chosen: none, size, dssim or ssim"
        ) {
            $0.urls.defaults.autoQuality.method = try choice($1)
        },
        Setting(
            "AUTOQUALITY_TARGET", "",
            "the target: bytes for size; by default 0.02 for dssim and 0.96 for ssim"
        ) {
            $0.urls.defaults.autoQuality.target = try decimal($1, 0...1e15)
        },
        Setting("AUTOQUALITY_MIN", "70", "the lowest quality to try") {
            $0.urls.defaults.autoQuality.least = try whole($1, 1...100)
        },
        Setting("AUTOQUALITY_FORMAT_MIN", "avif=60", "the lowest quality by format: FORMAT=QUALITY,…") {
            $0.urls.defaults.autoQuality.leastOfFormat = try qualities($1)
        },
        Setting("AUTOQUALITY_MAX", "80", "the highest quality to try") {
            $0.urls.defaults.autoQuality.most = try whole($1, 1...100)
        },
        Setting("AUTOQUALITY_FORMAT_MAX", "avif=65", "the highest quality by format: FORMAT=QUALITY,…") {
            $0.urls.defaults.autoQuality.mostOfFormat = try qualities($1)
        },
        Setting(
            "AUTOQUALITY_ALLOWED_ERROR", "0.001", "the allowed difference from the target, for dssim and ssim"
        ) {
            $0.urls.defaults.autoQuality.allowedError = try decimal($1, 0...1)
        },
        Setting(
            "AUTOQUALITY_MAX_RESOLUTION", "0",
            "the most megapixels of results whose quality is chosen; 0 for no limit"
        ) {
            $0.urls.defaults.autoQuality.maxResolution = try decimal($1, 0...10_000)
        },
    ]
}

/// One of the names of an enumeration.
private func choice<Name: RawRepresentable<String> & CaseIterable>(
    _ text: String
) throws(Setting.Rejected) -> Name {
    guard let name = Name(rawValue: text) else {
        throw Setting.Rejected("one of \(Name.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return name
}

/// `FORMAT=QUALITY,…`.
func qualities(_ text: String) throws(Setting.Rejected) -> [EncodedFormat: Int] {
    var qualities: [EncodedFormat: Int] = [:]
    for part in try list(text) {
        let sides = part.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, let format = EncodedFormat(urlName: String(sides[0])),
            let quality = Int(sides[1]), (1...100).contains(quality)
        else { throw Setting.Rejected("FORMAT=QUALITY,… with qualities from 1 to 100") }
        qualities[format] = quality
    }
    return qualities
}
