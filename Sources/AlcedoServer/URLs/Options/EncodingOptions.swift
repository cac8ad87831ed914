package import AlcedoPixels

/// What encoders can do otherwise than by default.
package struct EncodingOptions: Sendable, Equatable {
    package struct JPEG: Sendable, Equatable {
        /// Even where that is larger.
        package var isProgressive = false
        /// At their full resolution.
        package var keepsChroma = false
    }

    package struct PNG: Sendable, Equatable {
        package var isInterlaced = false
        package var isQuantized = false
        /// 2–256; counts if ``isQuantized``.
        package var mostColors = 256
        /// Nil for all.
        package var colors: Int? { isQuantized ? mostColors : nil }
    }

    package struct WebP: Sendable, Equatable {
        package enum Compression: String, Sendable, CaseIterable {
            case lossy
            case nearLossless = "near_lossless"
            case lossless
        }

        package var compression = Compression.lossy
        package var usesSharpYUV = false
        package var preset = EncoderTuning.WebPPreset.standard
    }

    package var jpeg = JPEG()
    package var png = PNG()
    package var webP = WebP()
    package var avifChroma = EncoderTuning.Chroma.automatic

    package init() {}

    /// Sets what counts for a format.
    func configure(_ options: inout EncodeOptions, for format: EncodedFormat) {
        switch format {
        case .jpeg:
            options.isProgressive = jpeg.isProgressive
            if jpeg.keepsChroma { options.tuning.chroma = .full }
        case .png:
            (options.tuning.isInterlaced, options.tuning.paletteColors) = (png.isInterlaced, png.colors)
        case .webp:
            options.isLossless = webP.compression != .lossy
            options.tuning.isNearLossless = webP.compression == .nearLossless
            (options.tuning.usesSharpYUV, options.tuning.webPPreset) = (webP.usesSharpYUV, webP.preset)
        case .avif: options.tuning.chroma = avifChroma
        default: break
        }
    }
}

/// A quality that is searched for each result.
package struct AutoQuality: Sendable, Equatable {
    package enum Method: String, Sendable, CaseIterable {
        case none
        /// ``target`` is bytes.
        case size
        /// ``target`` is (1 − SSIM) ÷ 2.
        case dssim
        case ssim
    }

    package var method = Method.none
    /// Nil for the method's own.
    package var target: Double?
    /// 1–100.
    package var least = 70
    package var most = 80
    /// Those of formats that have others.
    package var leastOfFormat: [EncodedFormat: Int] = [.avif: 60]
    package var mostOfFormat: [EncodedFormat: Int] = [.avif: 65]
    /// How far from ``target`` the search may end, unless that is bytes.
    package var allowedError = 0.001
    /// Megapixels of a result, above which the quality is not searched; 0 for no limit.
    package var maxResolution = 0.0

    /// The structural similarity that is the target, and how far the search may end from it.
    var ssim: (target: Double, tolerance: Double)? {
        switch method {
        case .none, .size: nil
        case .dssim: (1 - 2 * (target ?? 0.02), 2 * allowedError)
        case .ssim: (target ?? 0.96, allowedError)
        }
    }

    /// From 0 to 1.
    func qualities(of format: EncodedFormat) -> ClosedRange<Double> {
        let least = leastOfFormat[format] ?? least
        return Double(least) / 100...Double(max(least, mostOfFormat[format] ?? most)) / 100
    }

    /// Why the method can't have the target; nil if it can.
    var problem: String? {
        switch method {
        case .none: nil
        case .size: target.map { $0 >= 1 } ?? false ? nil : "the method size needs a target of bytes"
        case .dssim, .ssim:
            target.map { $0 <= 1 } ?? true
                ? nil : "the method \(method.rawValue) needs a target from 0 to 1"
        }
    }
}

extension ProcessingOptions {
    /// Applies an option that decides how results are encoded; false if it isn't one.
    mutating func applyEncoding(_ option: OptionArguments) throws(URLFailure) -> Bool {
        switch option.name {
        case "jpeg_options", "jpgo":
            // The last four are of mozjpeg, without which imgproxy ignores them, too.
            try option.check(most: 6)
            if option.has(0) { encoding.jpeg.isProgressive = option.bool(0) }
            if option.has(1) { encoding.jpeg.keepsChroma = option.bool(1) }
            if option.has(5) { _ = try option.integer(5, in: 0...8) }
        case "png_options", "pngo":
            try option.check(most: 3)
            if option.has(0) { encoding.png.isInterlaced = option.bool(0) }
            if option.has(1) { encoding.png.isQuantized = option.bool(1) }
            if option.has(2) { encoding.png.mostColors = try option.integer(2, in: 2...256) }
        case "webp_options", "webpo":
            try option.check(most: 3)
            if option.has(0) { encoding.webP.compression = try option.choice(0) }
            if option.has(1) { encoding.webP.usesSharpYUV = option.bool(1) }
            if option.has(2) { encoding.webP.preset = try option.choice(2) }
        case "avif_options", "avifo":
            try option.check(most: 1)
            if option.has(0) { encoding.avifChroma = try option.choice(0) }
        case "autoquality", "aq": try applyAutoQuality(option)
        default: return false
        }
        return true
    }

    private mutating func applyAutoQuality(_ option: OptionArguments) throws(URLFailure) {
        try option.check(most: 5)
        if option.has(0) {
            let method: AutoQuality.Method = try option.choice(0)
            // A target of bytes is no similarity.
            if method != autoQuality.method { autoQuality.target = nil }
            autoQuality.method = method
        }
        if option.has(1) { autoQuality.target = try option.number(1, from: 0, to: 1e15) }
        if option.has(2) {
            (autoQuality.least, autoQuality.leastOfFormat) = (try option.integer(2, in: 1...100), [:])
        }
        if option.has(3) {
            (autoQuality.most, autoQuality.mostOfFormat) = (try option.integer(3, in: 1...100), [:])
        }
        if option.has(4) { autoQuality.allowedError = try option.number(4, from: 0, to: 1) }
        if let problem = autoQuality.problem { throw option.failure(problem) }
    }
}

extension OptionArguments {
    /// One of the names of an enumeration.
    fileprivate func choice<Name: RawRepresentable<String> & CaseIterable>(
        _ index: Int
    ) throws(URLFailure) -> Name {
        let text = try text(index)
        guard let name = Name(rawValue: text) else {
            let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("“\(text)” is not one of \(names)")
        }
        return name
    }
}
