#if SVG
    import AlcedoCodecs
    import AlcedoPixels

    /// The embedded images of a document, within the document's limits.
    struct SVGImages {
        private let limits: DecodeLimits?
        private let codecs = CodecRegistry()
        private var pixels = 0

        /// With nil, pictures are left out.
        init(limits: DecodeLimits?) { self.limits = limits }

        /// The replacement of an external reference.
        ///
        /// It is a `data:` URL of a PNG or JPEG for an embedded image that Alcedo can decode, else empty.
        mutating func safe(_ url: [UInt8]) throws(CodecError) -> [UInt8] {
            guard let limits, String(decoding: url.prefix(5), as: UTF8.self).lowercased() == "data:",
                let bytes = SVGCharacters.payload(ofDataURL: url), let format = try claimed(bytes, limits)
            else { return [] }
            if format == .png || format == .jpeg {
                return Array("data:image/\(format.rawValue);base64,".utf8) + SVGCharacters.base64(bytes)
            }
            let options = DecodeOptions { $0.limits = limits }
            guard let bitmap = try? codecs.decode(bytes.span.bytes, options: options),
                let written = try? codecs.encode(bitmap, as: .png)
            else { return [] }
            return Array("data:image/png;base64,".utf8) + SVGCharacters.base64(written)
        }

        /// Its format, once its pixels are allowed; nil if it is no picture.
        private mutating func claimed(
            _ bytes: [UInt8],
            _ limits: DecodeLimits
        ) throws(CodecError) -> EncodedFormat? {
            let info: ImageInfo
            do throws(CodecError) {
                info = try codecs.info(of: bytes.span.bytes, limits: limits)
            } catch .limitExceeded(let limit, let value, let bound) {
                throw .limitExceeded(limit, value: value, limit: bound)
            } catch {
                return nil
            }
            pixels += info.size.area
            guard pixels <= limits.pixelsPerFrame else {
                throw .limitExceeded(.pixels, value: pixels, limit: limits.pixelsPerFrame)
            }
            return info.isComplete ? info.format : nil
        }
    }
#endif
