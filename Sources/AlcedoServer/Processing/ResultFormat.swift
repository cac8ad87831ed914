import AlcedoCodecs
import AlcedoPixels

/// Chooses the format of a result.
struct ResultFormat: Sendable {
    /// The formats that are written.
    let encodable: Set<EncodedFormat>

    /// The formats in which animations are written.
    let animatable: Set<EncodedFormat>

    let rules: ResponseRules

    /// The automatic and enforced formats that this client accepts, best first.
    let accepted: [EncodedFormat]

    /// What `Accept` of a request allows of ``ResponseRules``' formats, best first.
    static func accepted(by accept: String?, rules: ResponseRules) -> [EncodedFormat] {
        guard let accept else { return [] }
        let weights = AcceptedTypes(accept)
        let allowed = rules.automaticFormats.union(rules.enforcedFormats)
        let accepted = [EncodedFormat.jxl, .avif, .webp].filter {
            allowed.contains($0) && weights[$0.contentType] > 0
        }
        // Equal ones keep the order in which they are small.
        return accepted.enumerated().sorted { one, other in
            let (first, second) = (weights[one.element.contentType], weights[other.element.contentType])
            return first == second ? one.offset < other.offset : first > second
        }.map(\.element)
    }

    /// The format of the result.
    ///
    /// - Parameters:
    ///   - requested: what the URL names.
    ///   - source: the source's format.
    ///   - isAnimated: whether several frames are written.
    ///   - needsAlpha: whether some pixel may be transparent.
    /// - Returns: one that is written.
    /// - Throws: an error of the URL if it names one that isn't.
    func choose(
        requested: EncodedFormat?, source: EncodedFormat, isAnimated: Bool, needsAlpha: Bool
    ) throws(RequestFailure) -> EncodedFormat {
        let automatic = accepted.filter { format in
            encodable.contains(format) && !(isAnimated && (format == .avif || format == .jxl))
        }
        if let enforced = automatic.first(where: rules.enforcedFormats.contains) { return enforced }
        if let requested {
            guard encodable.contains(requested) else {
                throw .unprocessable(
                    "no codec of this build writes \(requested): \(AbsentEncoder.advice(for: requested))")
            }
            return requested
        }
        if let best = automatic.first { return best }
        let preferred = rules.preferredFormats.filter(encodable.contains)
        if preferred.contains(source) { return source }
        // As a PNG, an animation that was none would be many times as large.
        let suitable = preferred.first { format in
            (!isAnimated || animatable.contains(format) && format != .png)
                && (!needsAlpha || format.holdsAlpha)
        }
        return suitable ?? (needsAlpha ? .png : .jpeg)
    }
}

extension EncodedFormat {
    var holdsAlpha: Bool { self != .jpeg && self != .bmp }

    /// The value of `Content-Type`, with imgproxy's names.
    var contentType: String {
        switch self {
        case .heic: "image/heif"
        case .ico: "image/x-icon"
        default: mediaType
        }
    }
}
