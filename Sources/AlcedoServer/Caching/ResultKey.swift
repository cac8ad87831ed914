import AlcedoPixels
import Foundation

/// Names results: equal keys, equal bytes.
enum ResultKey {
    /// The key of a result.
    ///
    /// Options that only affect the response's headers do not count. `accepted` are the formats that may be chosen for
    /// this client, and `rules` stands for the settings that affect results.
    static func key(of url: ImageURL, accepted: [EncodedFormat], rules: String) -> String {
        "result \(counted(url.source.text))\n\(text(of: url.options))\n\(names(accepted))\n\(rules)"
    }

    /// The key of a source's own bytes, or of those of a frame if it may be a video.
    static func original(of source: ImageSource, _ options: ProcessingOptions) -> String {
        "original \(counted(source.text))\n\(options.cachebuster)"
            + (frame(of: options).map { "\n\($0)" } ?? "")
    }

    /// Which frame of a video is shown, if not that of most URLs.
    private static func frame(of options: ProcessingOptions) -> String? {
        options.videoSecond == 1 ? nil : "vts \(options.videoSecond)"
    }

    /// With its length in front, so that no text can pass for two.
    private static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }

    private static func names(_ formats: some Sequence<EncodedFormat>) -> String {
        formats.map(\.rawValue).joined(separator: ",")
    }

    /// All options but `exp`, `fn` and `att`, in a fixed order.
    static func text(of o: ProcessingOptions) -> String {
        var parts: [String] = [
            "\(o.resizingType.rawValue) \(o.width) \(o.height) \(o.minWidth) \(o.minHeight)",
            "\(o.zoomX) \(o.zoomY) \(o.dpr) \(o.enlarge)",
            text(of: o.extend), text(of: o.extendAspectRatio), text(of: o.gravity),
        ]
        if let crop = o.crop {
            parts.append("c \(crop.width) \(crop.height) \(crop.gravity.map(text) ?? "")")
        }
        if let trim = o.trim {
            let color = trim.color.map(text) ?? ""
            parts.append("t \(trim.threshold) \(color) \(trim.equalHorizontally) \(trim.equalVertically)")
        }
        let padding = o.padding
        parts += [
            "pd \(padding.top) \(padding.right) \(padding.bottom) \(padding.left)",
            "\(o.autoRotate) \(o.rotation) \(o.flipsHorizontally) \(o.flipsVertically)",
            "bg \(o.background.map(text) ?? "")", "\(o.blur) \(o.sharpen) \(o.pixelate)",
        ]
        if let watermark = o.watermark {
            parts.append(
                "wm \(watermark.opacity) \(watermark.scale ?? 0) \(text(of: watermark.position))")
        }
        let qualities = o.formatQuality.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
        let limits = o.limits
        // Results of "false" and "profile" are from servers that converted more of them, those of "true" for HDR are, too.
        let colors = o.stripColorProfile ? "true" : "space"
        let depth = o.preserveHDR ? "depth" : "false"
        parts += [
            "\(o.stripMetadata) \(o.keepCopyright) \(colors) \(depth) \(o.enforceThumbnail)",
            "q \(o.quality) \(qualities.joined(separator: ",")) \(o.maxBytes)",
            "f \(o.format?.rawValue ?? "") \(o.skipProcessing.map(\.rawValue).sorted().joined(separator: ","))",
            "\(o.raw)",
            "\(limits.maxSourceResolution ?? -1) \(limits.maxSourceFileSize ?? -1)",
            "\(limits.maxAnimationFrames ?? -1) \(limits.maxAnimationFrameResolution ?? -1)",
            "\(limits.maxResultDimension ?? -1)", "cb \(counted(o.cachebuster))",
        ]
        // Added later, and so not part of keys that don't need them.
        if o.encoding != EncodingOptions() { parts.append("e \(text(of: o.encoding))") }
        if let frame = self.frame(of: o) { parts.append(frame) }
        if o.autoQuality.method != .none { parts.append("aq \(text(of: o.autoQuality))") }
        return parts.joined(separator: ";")
    }

    private static func text(of encoding: EncodingOptions) -> String {
        let (jpeg, png, webP) = (encoding.jpeg, encoding.png, encoding.webP)
        return "\(jpeg.isProgressive) \(jpeg.keepsChroma) \(png.isInterlaced) \(png.colors ?? 0) "
            + "\(webP.compression.rawValue) \(webP.usesSharpYUV) \(webP.preset.rawValue) "
            + encoding.avifChroma.rawValue
    }

    private static func text(of quality: AutoQuality) -> String {
        let limits = quality.leastOfFormat.map { "\($0.key.rawValue)>\($0.value)" }.sorted()
        let most = quality.mostOfFormat.map { "\($0.key.rawValue)<\($0.value)" }.sorted()
        return "\(quality.method.rawValue) \(quality.target ?? -1) \(quality.least) \(quality.most) "
            + "\(quality.allowedError) \(quality.maxResolution) " + (limits + most).joined(separator: ",")
    }

    private static func text(of gravity: Gravity) -> String {
        "\(gravity.anchor.rawValue) \(gravity.x) \(gravity.y)"
    }

    private static func text(of extend: Extend) -> String {
        "\(extend.isEnabled) \(text(of: extend.gravity))"
    }

    private static func text(of color: RGBColor) -> String { "\(color.red),\(color.green),\(color.blue)" }

    private static func text(of position: WatermarkPosition) -> String {
        switch position {
        case .gravity(let gravity): text(of: gravity)
        case .tiled(let x, let y): "re \(x) \(y)"
        }
    }
}

extension Sequence<UInt8> {
    /// FNV-1a: distinguishes images of settings and results of one URL, but not texts that an attacker chooses.
    var hashText: String {
        String(reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
    }
}
