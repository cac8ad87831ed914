package import AlcedoPixels
import CWebP

/// What an image file says about its picture: EXIF, XMP and IPTC.
package struct ImageMetadata: Sendable, Equatable {
    /// A TIFF structure (JEITA CP-3451), without `Exif\0\0` in front.
    package var exif: [UInt8]?

    /// An RDF document (ISO 16684-1).
    package var xmp: [UInt8]?

    /// Photoshop's image resources, which contain IPTC's records; only JPEG has them.
    package var iptc: [UInt8]?

    package init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }

    /// Reads the metadata of a JPEG, a PNG or a WebP; other formats have none here.
    ///
    /// Blocks of more than `limit` bytes are left out, and so is what a truncated or damaged file does not have.
    package init(of bytes: RawSpan, format: EncodedFormat, limit: Int) {
        switch format {
        case .jpeg: readJPEG(bytes, limit)
        case .png: readPNG(bytes, limit)
        case .webp: readWebP(bytes, limit)
        default: break
        }
    }

    /// Only the copyright and the artist, as EXIF.
    package var copyright: ImageMetadata {
        ImageMetadata(exif: exif.flatMap { EXIF.copyright(of: $0) })
    }

    /// The same for a picture that has been changed, which an EXIF thumbnail would show unchanged.
    package var withoutThumbnail: ImageMetadata {
        ImageMetadata(exif: exif.map(EXIF.withoutThumbnail), xmp: xmp, iptc: iptc)
    }

    /// The same for pixels that have been turned upright.
    package var upright: ImageMetadata {
        ImageMetadata(exif: exif.map(EXIF.upright), xmp: xmp.map(Self.upright), iptc: iptc)
    }

    /// Changes the numbers after `tiff:Orientation`, which are attributes or elements of XMP, to 1.
    private static func upright(xmp: [UInt8]) -> [UInt8] {
        var xmp = xmp
        let name = Array("tiff:Orientation".utf8)
        var start = 0
        while let found = xmp[start...].firstRange(of: name) {
            start = found.upperBound
            // `="6"`, or `>6<`.
            let value = xmp[start...].prefix(3).firstIndex {
                (UInt8(ascii: "1")...UInt8(ascii: "8")).contains($0)
            }
            if let value { xmp[value] = UInt8(ascii: "1") }
        }
        return xmp
    }
}

// MARK: - Reading

extension ImageMetadata {
    private mutating func readJPEG(_ bytes: RawSpan, _ limit: Int) {
        guard JPEGHeader.isSignature(bytes) else { return }
        var offset = 2
        while let marker = JPEGHeader.nextMarker(in: bytes, from: &offset), marker != 0xDA, marker != 0xD9 {
            if marker == 1 || (0xD0...0xD8).contains(marker) { continue }
            guard let length = bytes.u16BE(offset) else { return }
            let body = offset + 2..<offset + max(length, 2)
            guard body.upperBound <= bytes.byteCount else { return }
            switch marker {
            case 0xE1 where bytes.has("Exif\0\0", at: body.lowerBound):
                Self.keep(bytes, body.dropFirst(6), limit, in: &exif)
            case 0xE1 where bytes.has(Self.xmpMark, at: body.lowerBound):
                Self.keep(bytes, body.dropFirst(Self.xmpMark.utf8CodeUnitCount), limit, in: &xmp)
            case 0xED where bytes.has(Self.iptcMark, at: body.lowerBound):
                Self.keep(bytes, body.dropFirst(Self.iptcMark.utf8CodeUnitCount), limit, in: &iptc)
            default: break
            }
            offset = body.upperBound
        }
    }

    private mutating func readPNG(_ bytes: RawSpan, _ limit: Int) {
        var texts: [PNGRawProfile] = []
        var offset = 8
        while let length = bytes.u32BE(offset), !bytes.has("IEND", at: offset + 4) {
            let body = offset + 8..<offset + 8 + length
            guard body.upperBound + 4 <= bytes.byteCount else { break }
            if bytes.has("eXIf", at: offset + 4) {
                // Some programs write it as in JPEG.
                let mark = bytes.has("Exif\0\0", at: body.lowerBound) ? 6 : 0
                Self.keep(bytes, body.dropFirst(mark), limit, in: &exif)
            } else if bytes.has("iTXt", at: offset + 4), bytes.has(Self.pngMark, at: body.lowerBound) {
                Self.keep(bytes, body.dropFirst(Self.pngMark.utf8CodeUnitCount), limit, in: &xmp)
            } else if texts.count < PNGRawProfile.mostTexts,
                let text = PNGRawProfile(bytes, offset..<body.upperBound + 4)
            {
                texts.append(text)
            }
            offset = body.upperBound + 4
        }
        guard exif == nil else { return }
        for text in texts {
            guard let found = text.exif else { continue }
            return Self.keep(found.span.bytes, 0..<found.count, limit, in: &exif)
        }
    }

    private mutating func readWebP(_ bytes: RawSpan, _ limit: Int) {
        guard WebPHeader.isSignature(bytes) else { return }
        var offset = 12
        while let length = bytes.u32LE(offset + 4) {
            let body = offset + 8..<offset + 8 + length
            guard body.upperBound <= bytes.byteCount else { return }
            if bytes.has("EXIF", at: offset) {
                let mark = bytes.has("Exif\0\0", at: body.lowerBound) ? 6 : 0
                Self.keep(bytes, body.dropFirst(mark), limit, in: &exif)
            } else if bytes.has("XMP ", at: offset) {
                Self.keep(bytes, body, limit, in: &xmp)
            }
            offset = body.upperBound + length % 2
        }
    }

    /// Of several blocks the first counts.
    private static func keep(_ bytes: RawSpan, _ range: Range<Int>, _ limit: Int, in block: inout [UInt8]?) {
        if block == nil, !range.isEmpty, range.count <= limit { block = bytes.copy(range) }
    }

    private static let xmpMark: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    private static let iptcMark: StaticString = "Photoshop 3.0\0"

    /// Uncompressed, in no language.
    private static let pngMark: StaticString = "XML:com.adobe.xmp\0\0\0\0\0"
}

extension ImageMetadata {
    /// A file that one of this module's codecs has written, with this metadata: a JPEG, a PNG or a WebP.
    ///
    /// Other formats stay as they are, and so do files for whose format a block is too long.
    package func embedded(in file: [UInt8], format: EncodedFormat) -> [UInt8] {
        guard self != ImageMetadata() else { return file }
        return switch format {
        case .jpeg: embeddedInJPEG(file)
        case .png: embeddedInPNG(file)
        case .webp: embeddedInWebP(file)
        default: file
        }
    }

    /// Behind JFIF's segment, which libjpeg writes first.
    private func embeddedInJPEG(_ file: [UInt8]) -> [UInt8] {
        var start = 2
        if file.count > 6, file[2] == 0xFF, file[3] == 0xE0 { start += 2 + Int(file[4]) << 8 + Int(file[5]) }
        guard start <= file.count else { return file }
        var segments: [UInt8] = []
        func add(_ marker: UInt8, _ mark: StaticString, _ body: [UInt8]?) {
            guard let body, body.count <= 65_533 - mark.utf8CodeUnitCount else { return }
            let length = 2 + mark.utf8CodeUnitCount + body.count
            segments += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
            segments += UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
            segments += body
        }
        add(0xE1, "Exif\0\0", exif)
        add(0xE1, Self.xmpMark, xmp)
        add(0xED, Self.iptcMark, iptc)
        return Array(file[..<start]) + segments + file[start...]
    }

    /// After the header, which has 25 bytes.
    private func embeddedInPNG(_ file: [UInt8]) -> [UInt8] {
        let start = 8 + 25
        guard file.count > start else { return file }
        var chunks = PNGChunkWriter()
        let signature = chunks.bytes.count
        if let exif { chunks.add("eXIf", exif[...]) }
        if let xmp {
            let mark = UnsafeBufferPointer(
                start: Self.pngMark.utf8Start, count: Self.pngMark.utf8CodeUnitCount)
            chunks.add("iTXt", Array(mark)[...], xmp[...])
        }
        return Array(file[..<start]) + chunks.bytes[signature...] + file[start...]
    }

    private func embeddedInWebP(_ file: [UInt8]) -> [UInt8] {
        file.withUnsafeBufferPointer { bytes in
            var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
            guard let mux = WebPMuxCreate(&data, 0) else { return file }
            defer { WebPMuxDelete(mux) }
            for (name, block) in [("EXIF", exif), ("XMP ", xmp)] {
                guard let block else { continue }
                let status = block.withUnsafeBufferPointer { block in
                    var chunk = WebPData(bytes: block.baseAddress, size: block.count)
                    return WebPMuxSetChunk(mux, name, &chunk, 1)
                }
                guard status == WEBP_MUX_OK else { return file }
            }
            var output = WebPData()
            guard WebPMuxAssemble(mux, &output) == WEBP_MUX_OK else { return file }
            defer { WebPDataClear(&output) }
            return Array(UnsafeBufferPointer(start: output.bytes, count: output.size))
        }
    }
}
