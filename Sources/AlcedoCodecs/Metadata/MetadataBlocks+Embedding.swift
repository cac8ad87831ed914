package import AlcedoPixels

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
        return Array(file[..<start]) + segments + file[start...]
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
        return Array(file[..<start]) + chunks.bytes[signature...] + file[start...]
    }

    /// At the end, behind a header that announces it (RFC 9649, 2.7).
    private func embeddedInWebP(_ file: [UInt8]) -> [UInt8] {
        guard let header = try? WebPHeader(file.span.bytes), header.isComplete,
            let size = file.span.bytes.u32LE(4),
            header.size.width <= 1 << 24, header.size.height <= 1 << 24
        else { return file }
        var chunks = Array(file[12..<max(12, min(8 + size, file.count))])
        if !chunks.starts(with: "VP8X".utf8) {
            chunks =
                Array("VP8X".utf8) + Self.little(10, 4) + [header.hasAlpha ? 0x10 : 0, 0, 0, 0]
                + Self.little(header.size.width - 1, 3) + Self.little(header.size.height - 1, 3) + chunks
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
        return Array(file[..<4]) + (order.isBig ? offset.reversed() : offset) + file[8...]
            + [UInt8](repeating: 0, count: place - file.count) + directories
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
