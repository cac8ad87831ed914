package import AlcedoPixels
package import Foundation

/// The settings that decide about results and their headers.
package struct ResponseRules: Sendable {
    /// Seconds that a response is fresh; 0 for `no-cache`.
    package var ttl = 31_536_000

    /// Whether the origin's `Cache-Control` or `Expires` is used instead of ``ttl``.
    package var passesCacheControl = false

    /// Whether the origin's ETag is sent, and `If-None-Match` honoured.
    package var usesETag = true

    /// Whether the origin's date is sent, and `If-Modified-Since` honoured.
    package var usesLastModified = true

    /// The earliest `Last-Modified`: copies from before are not current; none by default.
    package var earliestModified: Date?

    /// Makes all ETags new when it changes; none if empty.
    package var etagBuster = ""

    /// Formats that are chosen for clients that accept them, if the URL names none: of `jxl`, `avif` and `webp`.
    package var automaticFormats: Set<EncodedFormat> = []

    /// The same, also if the URL names another.
    package var enforcedFormats: Set<EncodedFormat> = []

    /// The formats of results if nothing else decides, in order.
    package var preferredFormats: [EncodedFormat] = [.jpeg, .png, .gif]

    /// Whether SVG is sent without scripts.
    package var sanitizesSVG = true

    /// Whether an SVG becomes another format if the URL names none.
    package var rasterizesSVG = false

    /// The value of `Content-Security-Policy`; none if empty.
    package var contentSecurityPolicy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

    /// Whether `Link` names the source as the canonical one.
    package var setsCanonicalLink = false

    /// Whether `X-Origin-…` and `X-Result-…` are sent.
    package var sendsDebugHeaders = false

    /// Whether `DPR` and `Width` of requests count.
    package var usesClientHints = false

    /// Whether errors say why.
    package var isDevelopment = false

    /// Megapixels of a source: of all frames, unless ``maxAnimationFrameResolution`` is above 0.
    package var maxSourceResolution = 50.0

    /// Frames of an animation; later ones are left out.
    package var maxAnimationFrames = 1

    /// Megapixels of one frame of an animation; 0 to limit all together.
    package var maxAnimationFrameResolution = 0.0

    /// The longest side of a result; 0 for no limit.
    package var maxResultDimension = 0

    /// The watermark; none by default.
    package var watermark: FixedImage?

    /// Multiplied with the opacity of URLs.
    package var watermarkOpacity = 1.0

    /// Whether sources are kept in the cache, so that other sizes need no download; false by default.
    package var keepsOriginals = false

    /// Whether a source that ends too early is shown without what is missing; false by default.
    package var showsTruncatedSources = false

    /// Whether a source that is a video is shown by a frame; false by default.
    package var showsVideoFrames = false

    /// Where images are decoded.
    package var isolation = DecodeSandbox.preferred

    /// Whether one URL may have different results for different clients.
    var varies: Bool { usesClientHints || !automaticFormats.isEmpty || !enforcedFormats.isEmpty }

    package init() {}
}

extension ResponseRules {
    /// The most pixels of a source, for a URL's options.
    func mostPixels(_ options: ProcessingOptions) -> Int {
        let megapixels = options.limits.maxSourceResolution ?? maxSourceResolution
        return Int(min(max(megapixels * 1_000_000, 1), 1e12))
    }

    /// The settings that affect the bytes of results; part of their keys.
    var fingerprint: String {
        let formats = preferredFormats.map(\.rawValue).joined(separator: ",")
        let enforced = enforcedFormats.map(\.rawValue).sorted().joined(separator: ",")
        let watermark =
            switch self.watermark {
            case .data(let data): "data \(data.count) \(data.hashText)"
            case .path(let path): "path \(path)"
            case .url(let url): "url \(url)"
            case nil: ""
            }
        return [
            formats, enforced, "\(sanitizesSVG)", "\(maxAnimationFrames)",
            "\(maxResultDimension)", watermark, "\(watermarkOpacity)",
        ].joined(separator: ";") + (showsTruncatedSources ? ";truncated" : "")
            + (rasterizesSVG ? ";rasterized" : "")
            // Required workers convert sources with a profile to sRGB also with `scp:0`.
            + (isolation == .required ? ";isolated" : "")
    }
}

/// An image that settings name.
package enum FixedImage: Sendable, Equatable {
    case data(Data)
    case path(String)
    /// An `http` or `https` URL; any address is allowed, and no redirect is followed.
    case url(String)
}
