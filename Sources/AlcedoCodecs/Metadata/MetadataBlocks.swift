package import AlcedoPixels

/// What an image file says about its picture, as bytes.
package struct MetadataBlocks: Sendable, Equatable {
    /// A TIFF structure (JEITA CP-3451), without `Exif\0\0` in front.
    package var exif: [UInt8]?

    /// An RDF document (ISO 16684-1).
    package var xmp: [UInt8]?

    /// The rest of that document, where a JPEG has it beyond one segment; it is never written.
    package var xmpExtension: [UInt8]?

    /// IPTC's records (IIM).
    package var iptc: [UInt8]?

    /// The gain map of a JPEG, for pictures that have all of its pixels; not among what is read of a file.
    package var gainMap: GainMapFile?

    package init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }

    /// Reads the metadata of a file; blocks of more than `limit` bytes are left out.
    ///
    /// The structure of a TIFF is written anew, without what says where its pixels are.
    package init(of bytes: RawSpan, format: EncodedFormat, limit: Int) {
        self = MetadataSource.lending(bytes) { MetadataReader($0, format: format, limit: limit).blocks }
    }

    static let xmpMark: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let resourcesMark: StaticString = "Photoshop 3.0\0"

    /// In a PNG: uncompressed, in no language.
    private static let pngMark: StaticString = "XML:com.adobe.xmp\0\0\0\0\0"

    package var byteCount: Int {
        [exif, xmp, xmpExtension, iptc, gainMap?.jpeg].reduce(0) { $0 + ($1?.count ?? 0) }
    }

    package var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && gainMap == nil }
}

// MARK: - What is kept

extension MetadataBlocks {
    /// What a file keeps that is created from the picture, and whose pixels need to be turned by `orientation`.
    package func kept(by policy: MetadataPolicy, orientation: ImageOrientation) -> MetadataBlocks {
        var kept = kept(by: policy)
        kept.gainMap = policy.keepsGainMap ? gainMap : nil
        if orientation == .up { return kept.upright }
        let present = kept.exif.map { EXIF.orientation(in: $0.span.bytes, at: 0..<$0.count) }
        guard present != orientation else { return kept }
        var structure = kept.exif.flatMap { EXIFStructure($0) } ?? EXIFStructure()
        let value = UInt8(orientation.rawValue)
        structure.image.removeAll { $0.tag == EXIFTag.orientation }
        structure.image.append(
            EXIFStructure.Field(
                tag: EXIFTag.orientation, type: 3, value: structure.isBig ? [0, value] : [value, 0]))
        kept.exif = structure.serialized()
        return kept
    }

    /// What a file keeps that is created from the picture, whichever way its pixels are turned.
    ///
    /// Never a thumbnail, which shows the picture before it was changed, nor XMP's announcements of a gain
    /// map, a film or a depth map, which the file does not have. XMP that is not well-formed is left out, as
    /// none of that can be found in it.
    func kept(by policy: MetadataPolicy) -> MetadataBlocks {
        switch policy {
        case .none: MetadataBlocks()
        case .copyright: copyright
        case .allButLocation:
            MetadataBlocks(
                exif: exif.flatMap { exif in
                    var structure = EXIFStructure(exif)
                    structure?.location = []
                    return structure?.serialized()
                },
                xmp: xmp.flatMap(XMPDocument.init)?.removing {
                    XMPNamespace.announcesMore($0, $1) || XMPNamespace.isLocation($1)
                },
                iptc: iptc.flatMap { IPTCRecords($0).withoutLocation })
        case .all:
            MetadataBlocks(
                exif: exif.map(EXIF.withoutThumbnail),
                xmp: xmp.flatMap(XMPDocument.init)?.removing(where: XMPNamespace.announcesMore), iptc: iptc)
        }
    }

    /// Only the copyright and the artist, as EXIF; where that has none, those of XMP or IPTC.
    private var copyright: MetadataBlocks {
        let own = exif.flatMap { EXIF.copyright(of: $0) }
        var structure = own.flatMap { EXIFStructure($0) } ?? EXIFStructure()
        let present = Set(structure.image.map(\.tag))
        guard present.count < 2, xmp != nil || iptc != nil else { return MetadataBlocks(exif: own) }
        let described = ImageMetadata(MetadataBlocks(xmp: xmp, iptc: iptc))
        for (tag, text) in [
            (EXIFTag.artist, described.creators.joined(separator: "; ")),
            (EXIFTag.copyright, described.rights ?? ""),
        ] where !present.contains(tag) && !text.isEmpty {
            structure.image.append(
                EXIFStructure.Field(tag: tag, type: EXIF.asciiType, value: Array(text.utf8) + [0]))
        }
        return MetadataBlocks(exif: structure.serialized())
    }

    /// The same for a file of so many pixels; XMP, which most programs leave as it is, stays.
    package func sized(_ size: PixelSize) -> MetadataBlocks {
        var sized = self
        sized.exif = exif.map { EXIF.sized($0, size) }
        return sized
    }

    /// The same for pixels that have been turned upright.
    var upright: MetadataBlocks {
        var upright = MetadataBlocks(exif: exif.map(EXIF.upright), xmp: xmp.map(Self.upright), iptc: iptc)
        upright.gainMap = gainMap
        return upright
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

extension MetadataPolicy {
    /// Whether the gain map of a JPEG is kept, which is a picture and no notice of copyright.
    package var keepsGainMap: Bool {
        switch self {
        case .none, .copyright: false
        case .allButLocation, .all: true
        }
    }
}

extension MetadataBlocks {
    /// Formats that can have metadata, which is added to a file once its pixels are encoded.
    package static let formats: Set<EncodedFormat> = [.jpeg, .png, .webp, .tiff, .avif, .heic, .jxl]

    /// A file without metadata, such as one that a codec has just written, with this metadata.
    ///
    /// A file stays as it is if its format has no metadata, if it is not of the structure that Alcedo's
    /// encoders write, and where a block is too long for its format. PNG, WebP, HEIC, AVIF and JPEG XL have
    /// no place for IPTC's records.
    package func embedded(in file: [UInt8], format: EncodedFormat) -> [UInt8] {
        guard !isEmpty else { return file }
        if let gainMap, format == .jpeg {
            var others = self
            others.gainMap = nil
            return gainMap.parameters.file(of: file, map: gainMap.jpeg, metadata: others)
        }
        return switch format {
        case .jpeg: embeddedInJPEG(file)
        case .png: embeddedInPNG(file)
        case .webp: embeddedInWebP(file)
        case .tiff: embeddedInTIFF(file)
        case .jxl: embeddedInJXL(file)
        case .heic, .avif: HEIFMetadata(file)?.adding(self) ?? file
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
            guard let body, Self.fitsSegment(body, behind: mark) else { return }
            let length = 2 + mark.utf8CodeUnitCount + body.count
            segments += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
            segments += UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
            segments += body
        }
        add(0xE1, "Exif\0\0", exif)
        add(0xE1, Self.xmpMark, xmp)
        add(0xED, Self.resourcesMark, iptc.map(PhotoshopResources.resource))
        return file.inserting(segments, at: start)
    }

    /// Whether a segment of a JPEG, whose length has 16 bits and counts itself, has room for `body`.
    static func fitsSegment(_ body: [UInt8], behind mark: StaticString) -> Bool {
        body.count <= 65_533 - mark.utf8CodeUnitCount
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
        return file.inserting(chunks.bytes[signature...], at: start)
    }

    /// At the end, after a header that announces it (RFC 9649, 2.7).
    private func embeddedInWebP(_ file: [UInt8]) -> [UInt8] {
        guard let header = try? WebPHeader(file.span.bytes), header.isComplete,
            let size = file.span.bytes.u32LE(4),
            header.size.width <= 1 << 24, header.size.height <= 1 << 24
        else { return file }
        var chunks = Array(file[12..<max(12, min(8 + size, file.count))])
        if !chunks.starts(with: "VP8X".utf8) {
            let alpha: [UInt8] = [header.hasAlpha ? 0x10 : 0, 0, 0, 0]
            let (width, height) = (header.size.width - 1, header.size.height - 1)
            let extent = Self.little(width, 3) + Self.little(height, 3)
            chunks = Array("VP8X".utf8) + Self.little(10, 4) + alpha + extent + chunks
        }
        for (name, flag, block) in [("EXIF", UInt8(8), exif), ("XMP ", 4, xmp)] {
            guard let block, block.count + chunks.count < Int(UInt32.max) - 64 else { continue }
            chunks[8] |= flag
            if chunks.count % 2 == 1 { chunks.append(0) }
            chunks += Array(name.utf8) + Self.little(block.count, 4) + block
        }
        if chunks.count % 2 == 1 { chunks.append(0) }
        return Array("RIFF".utf8) + Self.little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    /// In a directory at the end, which replaces the first one.
    private func embeddedInTIFF(_ file: [UInt8]) -> [UInt8] {
        let bytes = file.span.bytes
        guard let order = TIFFOrder(bytes), let start = order.u32(bytes, 4), start >= TIFFOrder.headerSize,
            let count = order.u16(bytes, start), start + 2 + count * 12 + 4 <= file.count
        else { return file }
        var fields =
            exif.flatMap { EXIFStructure($0) }?.converted(isBig: order.isBig)
            ?? EXIFStructure(isBig: order.isBig)
        fields.image.removeAll { EXIFTag.stored.contains($0.tag) }
        for (tag, type, block) in [(EXIFTag.xmp, 1, xmp), (EXIFTag.iptc, 7, iptc)] {
            guard let block else { continue }
            fields.image.append(EXIFStructure.Field(tag: tag, type: type, value: block))
        }
        let own = (0..<count).map { index in
            let entry = start + 2 + index * 12
            return (tag: order.u16(bytes, entry) ?? 0, bytes: Array(file[entry..<entry + 12]))
        }
        let place = file.count + file.count % 2
        let directories = fields.directories(at: place, beside: own).bytes
        guard place + directories.count <= Int(UInt32.max) else { return file }
        let offset = Self.little(place, 4)
        var result = file
        result.replaceSubrange(4..<8, with: order.isBig ? offset.reversed() : offset)
        result += repeatElement(0, count: place - file.count)
        return result + directories
    }

    /// In boxes, in front of the code stream or at the end.
    private func embeddedInJXL(_ file: [UInt8]) -> [UInt8] {
        var boxes: [UInt8] = []
        if let exif { boxes += Self.box("Exif", [0, 0, 0, 0] + exif) }
        if let xmp { boxes += Self.box("xml ", xmp) }
        if file.starts(with: [0xFF, 0x0A]) {
            let head =
                Self.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            return head + boxes + Self.box("jxlc", file)
        }
        // A last box without a length would contain them.
        let all = MetadataBoxes(MetadataSource(file), in: 0..<file.count).all
        guard let last = all.last, last.whole.upperBound == file.count,
            file.span.bytes.u32BE(last.whole.lowerBound) != 0
        else { return file }
        return file + boxes
    }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 8
        guard length > Int(UInt32.max) else { return Self.big(length, 4) + Array(name.utf8) + content }
        return Self.big(1, 4) + Array(name.utf8) + Self.big(length + 8, 8) + content
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }
}
