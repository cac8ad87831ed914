import AlcedoPixels

/// Finds the metadata in a file of any format, without the format's library.
///
/// Each function reads the file's outline and copies blocks of up to ``limit`` bytes. Of several blocks of a
/// kind the first counts. What a truncated or damaged file does not have is left out.
struct MetadataReader {
    let source: MetadataSource
    let limit: Int
    private(set) var blocks = MetadataBlocks()

    /// The colour profile, as the file has it; a PNG has it deflated.
    private(set) var profile: [UInt8]?
    private(set) var isProfileDeflated = false

    /// Segments, chunks and boxes of a file; a PNG of 500 MB has as many, in chunks of 8 KiB.
    static let mostParts = 1 << 16

    init(_ source: MetadataSource, format: EncodedFormat, limit: Int) {
        (self.source, self.limit) = (source, max(0, limit))
        switch format {
        case .jpeg: readJPEG()
        case .png: readPNG()
        case .webp: readWebP()
        case .tiff: readTIFF()
        case .heic, .avif: readHEIF()
        case .jxl: readJXL()
        default: break
        }
    }

    /// The format by the first bytes; nil for one in which no metadata is found here.
    static func format(of source: MetadataSource) -> EncodedFormat? {
        guard let head = source.bytes(0..<min(source.count, 64)) else { return nil }
        let bytes = head.span.bytes
        if JPEGHeader.isSignature(bytes) { return .jpeg }
        if PNGHeader.isSignature(bytes) { return .png }
        if WebPHeader.isSignature(bytes) { return .webp }
        let tiffs: [StaticString] = ["II*\0", "MM\0*", "II+\0", "MM\0+"]
        if tiffs.contains(where: { bytes.has($0, at: 0) }) { return .tiff }
        if bytes.has("JXL \r\n", at: 4) || bytes.u16BE(0) == 0xFF0A { return .jxl }
        guard bytes.has("ftyp", at: 4), head.count >= 12 else { return nil }
        let brands = ([8] + stride(from: 16, to: head.count - 3, by: 4)).map { head[$0..<$0 + 4] }
        let isAVIF = brands.contains { $0.elementsEqual("avif".utf8) || $0.elementsEqual("avis".utf8) }
        let heics = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        return isAVIF
            ? .avif : brands.contains { heics.contains(String(decoding: $0, as: UTF8.self)) } ? .heic : nil
    }

    /// The name of the colour profile.
    var profileName: String? {
        guard let profile else { return nil }
        let bytes = isProfileDeflated ? TextInflater.inflated(profile, limit: Self.longestProfile) : profile
        return bytes.flatMap(ICCProfile.description)
    }

    /// The most bytes to which a PNG's profile or XMP is inflated, for which this module's own inflater takes
    /// 0.1 s.
    private static let longestProfile = 1 << 20

    /// Keeps a block if it is the first of its kind, and not too long.
    private mutating func keep(
        _ range: Range<Int>, in block: WritableKeyPath<MetadataBlocks, [UInt8]?>, mark: Int = 0
    ) {
        let body = range.dropFirst(mark)
        guard blocks[keyPath: block] == nil, !body.isEmpty, body.count <= limit else { return }
        blocks[keyPath: block] = source.bytes(body)
    }

    /// Keeps a structure of EXIF, before which some programs write `Exif\0\0` where it does not belong.
    private mutating func keepEXIF(_ range: Range<Int>) {
        keep(range, in: \.exif, mark: source.has("Exif\0\0", at: range.lowerBound) ? 6 : 0)
    }

    private mutating func keepProfile(_ range: Range<Int>) {
        guard profile == nil, !range.isEmpty, range.count <= limit else { return }
        profile = source.bytes(range)
    }
}

// MARK: - JPEG

extension MetadataReader {
    private mutating func readJPEG() {
        guard let head = source.bytes(0..<min(3, source.count)), JPEGHeader.isSignature(head.span.bytes)
        else {
            return
        }
        var (offset, garbage) = (2, 0)
        var resources: [UInt8] = []
        var extensions: [[UInt8]] = []
        var profiles: [(number: Int, range: Range<Int>)] = []
        for _ in 0..<Self.mostParts {
            guard let marker = nextMarker(from: &offset, &garbage), marker != 0xDA, marker != 0xD9 else {
                break
            }
            if marker == 1 || (0xD0...0xD8).contains(marker) { continue }
            guard let length = source.number(offset, 2) else { break }
            let body = offset + 2..<offset + max(length, 2)
            guard body.upperBound <= source.count else { break }
            let start = body.lowerBound
            switch marker {
            case 0xE1 where source.has("Exif\0\0", at: start): keep(body, in: \.exif, mark: 6)
            case 0xE1 where source.has(MetadataBlocks.xmpMark, at: start):
                keep(body, in: \.xmp, mark: MetadataBlocks.xmpMark.utf8CodeUnitCount)
            case 0xE1 where source.has(Self.extensionMark, at: start):
                let part = body.dropFirst(Self.extensionMark.utf8CodeUnitCount)
                if part.count > 40, extensions.count < limit >> 14, let bytes = source.bytes(part) {
                    extensions.append(bytes)
                }
            case 0xED where source.has(MetadataBlocks.resourcesMark, at: start):
                // Resources that are too long for a segment go on in the next one.
                let part = body.dropFirst(MetadataBlocks.resourcesMark.utf8CodeUnitCount)
                if resources.count + part.count <= limit { resources += source.bytes(part) ?? [] }
            case 0xE2 where source.has("ICC_PROFILE\0", at: start) && body.count > 14 && profiles.count < 256:
                profiles.append((source.number(start + 12, 1) ?? 0, body.dropFirst(14)))
            default: break
            }
            offset = body.upperBound
        }
        blocks.iptc = PhotoshopResources.iptc(in: resources)
        blocks.xmpExtension = blocks.xmp.flatMap { xmpExtension(of: $0, extensions) }
        profiles.sort { $0.number < $1.number }
        if !profiles.isEmpty, profiles.reduce(0, { $0 + $1.range.count }) <= limit {
            profile = profiles.flatMap { source.bytes($0.range) ?? [] }
        }
    }

    /// The parts of a document that has not fit into one segment, put together if all of them are there.
    ///
    /// Each has 32 digits that the first segment's document names, the bytes of all parts, its offset and its
    /// bytes.
    private func xmpExtension(of xmp: [UInt8], _ parts: [[UInt8]]) -> [UInt8]? {
        guard !parts.isEmpty, let name = xmp.firstRange(of: Array("HasExtendedXMP".utf8)) else { return nil }
        // `="`, or `>`.
        let digits = xmp[name.upperBound...].drop { Array("=\"'> ".utf8).contains($0) }.prefix(32)
        let own = parts.filter { $0[..<32] == digits }
            .compactMap { part in part.span.bytes.u32BE(36).map { (offset: $0, bytes: part[40...]) } }
            .sorted { $0.offset < $1.offset }
        guard
            let total = parts.first(where: { $0[..<32] == digits })?.dropFirst(32).prefix(4).reduce(
                0, { $0 << 8 | Int($1) }),
            total <= limit
        else { return nil }
        var bytes: [UInt8] = []
        for part in own {
            guard part.offset == bytes.count, part.bytes.count <= total - bytes.count else { return nil }
            bytes += part.bytes
        }
        return bytes.count == total && total > 0 ? bytes : nil
    }

    private static let extensionMark: StaticString = "http://ns.adobe.com/xmp/extension/\0"

    /// As ``JPEGHeader/nextMarker(in:from:)``, but nil after 64 KiB of what is no segment, which is read byte
    /// by byte.
    private func nextMarker(from offset: inout Int, _ garbage: inout Int) -> Int? {
        while garbage < 1 << 16, let byte = source.number(offset, 1) {
            (offset, garbage) = (offset + 1, garbage + 1)
            guard byte == 0xFF else { continue }
            while garbage < 1 << 17, let marker = source.number(offset, 1) {
                (offset, garbage) = (offset + 1, garbage + 1)
                if marker == 0xFF { continue }
                if marker == 0 { break }
                garbage -= 2
                return marker
            }
        }
        return nil
    }
}

// MARK: - PNG

extension MetadataReader {
    private mutating func readPNG() {
        var (texts, others) = ([PNGRawProfile](), [PNGRawProfile]())
        var offset = 8
        for _ in 0..<Self.mostParts {
            guard let length = source.number(offset, 4), let kind = source.number(offset + 4, 4),
                kind != PNGHeader.iend
            else { break }
            let body = offset + 8..<offset + 8 + length
            guard body.upperBound + 4 <= source.count else { break }
            switch kind {
            case PNGHeader.exif: keepEXIF(body)
            case PNGHeader.itxt where source.has("XML:com.adobe.xmp\0", at: body.lowerBound): keepText(body)
            case PNGHeader.text, PNGHeader.ztxt, PNGHeader.itxt:
                guard length <= PNGRawProfile.mostChunk, source.has("Raw profile type ", at: body.lowerBound),
                    let chunk = source.bytes(offset..<body.upperBound + 4)
                else { break }
                let span = chunk.span.bytes
                if texts.count < PNGRawProfile.mostTexts, let text = PNGRawProfile(span, 0..<chunk.count) {
                    texts.append(text)
                } else if others.count < PNGRawProfile.mostTexts,
                    let text = PNGRawProfile(span, 0..<chunk.count, keywords: PNGRawProfile.otherKeywords)
                {
                    others.append(text)
                }
            case PNGHeader.iccp where profile == nil && length <= limit:
                // A name of up to 79 characters, and how it is compressed.
                guard let bytes = source.bytes(body), let end = bytes.prefix(80).firstIndex(of: 0) else {
                    break
                }
                (profile, isProfileDeflated) = (Array(bytes.dropFirst(end + 2)), true)
            default: break
            }
            offset = body.upperBound + 4
        }
        for text in texts + others {
            guard blocks.exif == nil || blocks.xmp == nil || blocks.iptc == nil else { return }
            guard let profile = text.profile, profile.count <= limit else { continue }
            let bytes = profile.span.bytes
            if TIFFOrder(bytes) != nil {
                if blocks.exif == nil { blocks.exif = profile }
            } else if bytes.has("8BIM", at: 0) {
                if blocks.iptc == nil { blocks.iptc = PhotoshopResources.iptc(in: profile) }
            } else if bytes.u8(0) == 0x1C {
                if blocks.iptc == nil { blocks.iptc = profile }
            } else if bytes.u8(0) == 0x3C, blocks.xmp == nil {
                blocks.xmp = profile
            }
        }
    }

    /// XMP, which may be compressed, after two texts of any length.
    private mutating func keepText(_ body: Range<Int>) {
        let rest = body.dropFirst(18)
        guard blocks.xmp == nil, rest.count > 4, rest.count <= limit, let bytes = source.bytes(rest),
            let language = bytes[2...].firstIndex(of: 0),
            let keyword = bytes[(language + 1)...].firstIndex(of: 0)
        else { return }
        let text = Array(bytes[(keyword + 1)...])
        let xmp = bytes[0] == 1 ? TextInflater.inflated(text, limit: min(limit, Self.longestProfile)) : text
        if let xmp, !xmp.isEmpty { blocks.xmp = xmp }
    }
}

// MARK: - WebP and TIFF

extension MetadataReader {
    private mutating func readWebP() {
        guard source.has("RIFF", at: 0), source.has("WEBP", at: 8) else { return }
        var offset = 12
        for _ in 0..<Self.mostParts {
            guard let length = source.number(offset + 4, 4, isBig: false) else { return }
            let body = offset + 8..<offset + 8 + length
            guard body.upperBound <= source.count else { return }
            if source.has("EXIF", at: offset) {
                keepEXIF(body)
            } else if source.has("XMP ", at: offset) {
                keep(body, in: \.xmp)
            } else if source.has("ICCP", at: offset) {
                keepProfile(body)
            }
            offset = body.upperBound + length % 2
        }
    }

    private mutating func readTIFF() {
        guard let structure = EXIFStructure(source, limit: limit) else { return }
        blocks.exif = structure.serialized()
        blocks.xmp = structure.xmp
        blocks.iptc = structure.iptc ?? structure.resources.flatMap(PhotoshopResources.iptc)
        profile = structure.profile
    }
}

// MARK: - Files of boxes

extension MetadataReader {
    private mutating func readHEIF() {
        guard let meta = MetadataBoxes(source, in: 0..<source.count).first("meta"), meta.count <= limit,
            let bytes = source.bytes(meta), let items = MetadataItems(bytes)
        else { return }
        for item in items.described {
            guard let content = items.content(of: item.number, in: source, limit: limit) else { continue }
            switch item.kind {
            case .exif:
                // The number of bytes before the structure.
                guard blocks.exif == nil, let skipped = content.span.bytes.u32BE(0),
                    skipped < content.count - 4
                else { continue }
                let exif = Array(content[(4 + skipped)...])
                blocks.exif = exif.span.bytes.has("Exif\0\0", at: 0) ? Array(exif.dropFirst(6)) : exif
            case .xmp:
                if blocks.xmp == nil { blocks.xmp = content }
            }
        }
        if let range = items.profile { profile = Array(bytes[range]) }
    }

    /// Those of a container; `brob` boxes, which Brotli has compressed, are left out.
    private mutating func readJXL() {
        guard source.has("JXL \r\n", at: 4) else { return }
        for box in MetadataBoxes(source, in: 0..<source.count).all {
            if box.name == "Exif" {
                guard let skipped = source.number(box.content.lowerBound, 4), skipped < box.content.count - 4
                else { continue }
                keepEXIF(box.content.dropFirst(4 + skipped))
            } else if box.name == "xml " {
                keep(box.content, in: \.xmp)
            }
        }
    }
}
