import AlcedoCodecs
import AlcedoPixels

/// The embedded images of a document, within the document's limits.
struct SVGImages {
    /// What an address stands for.
    enum Content {
        /// Nothing, or a picture that Alcedo can decode as a `data:` URL of a PNG or JPEG.
        case url([UInt8])
        case svg([UInt8])
    }

    private let limits: DecodeLimits?
    private let totals: SVGTotals
    private let codecs = CodecRegistry()

    /// With nil, pictures are left out.
    init(limits: DecodeLimits?, totals: SVGTotals) {
        self.limits = limits
        self.totals = totals
    }

    /// The replacement of an external reference: only `data:` URLs are read.
    func content(of url: [UInt8]) throws(CodecError) -> Content {
        guard let limits, String(decoding: url.prefix(5), as: UTF8.self).lowercased() == "data:",
            let bytes = SVGCharacters.payload(ofDataURL: url)
        else { return .url([]) }
        if SVGBytes.areSVG(bytes.span.bytes) { return .svg(bytes) }
        guard let format = try claimed(bytes, limits) else { return .url([]) }
        if format == .png || format == .jpeg {
            return .url(
                Array("data:image/\(format.rawValue);base64,".utf8) + SVGCharacters.base64(bytes))
        }
        let options = DecodeOptions { $0.limits = limits }
        guard let bitmap = try? codecs.decode(bytes.span.bytes, options: options),
            let written = try? codecs.encode(bitmap, as: .png)
        else { return .url([]) }
        return .url(Array("data:image/png;base64,".utf8) + SVGCharacters.base64(written))
    }

    /// Its format, once its pixels are allowed; nil if it is no picture.
    private func claimed(_ bytes: [UInt8], _ limits: DecodeLimits) throws(CodecError) -> EncodedFormat? {
        let info: ImageInfo
        do throws(CodecError) {
            info = try codecs.info(of: bytes.span.bytes, limits: limits)
        } catch .limitExceeded(let limit, let value, let bound) {
            throw .limitExceeded(limit, value: value, limit: bound)
        } catch {
            return nil
        }
        try totals.add(pixels: info.size.area, limits: limits)
        return info.isComplete ? info.format : nil
    }
}
