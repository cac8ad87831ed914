package import AlcedoPixels

extension MetadataBlocks {
    /// The formats whose metadata can be replaced without decoding the picture.
    package static let replaceableFormats: [EncodedFormat] = [.jpeg, .png, .webp, .heic, .avif, .jxl]

    /// `file` with this metadata instead of its own, and with the same picture; nil if its structure is damaged.
    ///
    /// Also without comments, texts, the pictures after a JPEG's end (gain maps, previews, films), and all
    /// parts whose names are not known. Colour profiles stay. In a HEIC or AVIF the bytes of old items become
    /// zeros.
    package func replacing(in file: [UInt8], format: EncodedFormat) -> [UInt8]? {
        let bare =
            switch format {
            case .jpeg: Self.bareJPEG(file)
            case .png: Self.barePNG(file)
            case .webp: Self.bareWebP(file)
            case .heic, .avif: Self.bareHEIF(file)
            case .jxl: Self.bareJXL(file)
            default: [UInt8]?.none
            }
        return bare.map { embedded(in: $0, format: format) }
    }

    private static func bareJPEG(_ file: [UInt8]) -> [UInt8]? {
        let bytes = file.span.bytes
        guard JPEGHeader.isSignature(bytes) else { return nil }
        var (output, offset, isInScan) = ([UInt8](), 0, false)
        output.reserveCapacity(file.count)
        while offset < file.count {
            guard file[offset] == 0xFF else {
                guard isInScan else { return nil }
                let end = file[offset...].firstIndex(of: 0xFF) ?? file.count
                output += file[offset..<end]
                offset = end
                continue
            }
            guard let marker = bytes.u8(offset + 1) else {
                output.append(0xFF)
                return output
            }
            switch marker {
            case 0xFF: offset += 1
            case 0xD9: return output + [0xFF, 0xD9]
            case 0, 1, 0xD0...0xD8:
                output += file[offset..<offset + 2]
                offset += 2
            default:
                guard let length = bytes.u16BE(offset + 2) else { return nil }
                let whole = offset..<offset + 2 + max(length, 2)
                guard whole.upperBound <= file.count else { return nil }
                switch marker {
                case 0xE0:
                    // JFIF's without a thumbnail.
                    guard bytes.has("JFIF\0", at: offset + 4), length >= 16 else { break }
                    output += [0xFF, 0xE0, 0, 16] + file[offset + 4..<offset + 16] + [0, 0]
                case 0xE2: if bytes.has("ICC_PROFILE\0", at: offset + 4) { output += file[whole] }
                // Adobe's says whether the colours are YCbCr.
                case 0xEE: output += file[whole]
                case 0xE1...0xEF, 0xFE: break
                default: output += file[whole]
                }
                offset = whole.upperBound
                isInScan = marker == 0xDA || isInScan
            }
        }
        return output
    }

    private static let pngChunks: Set = [
        "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT", "bKGD",
        "pHYs", "hIST",
        "sPLT", "acTL", "fcTL", "fdAT",
    ]

    private static func barePNG(_ file: [UInt8]) -> [UInt8]? {
        let bytes = file.span.bytes
        guard PNGHeader.isSignature(bytes) else { return nil }
        var (output, offset) = (Array(file[..<8]), 8)
        while let length = bytes.u32BE(offset), let kind = bytes.u32BE(offset + 4) {
            let whole = offset..<offset + 12 + length
            guard whole.upperBound <= file.count else { return nil }
            let name = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
            if kind & PNGHeader.ancillary == 0 || pngChunks.contains(name) { output += file[whole] }
            if kind == PNGHeader.iend { return output }
            offset = whole.upperBound
        }
        return nil
    }

    private static func bareWebP(_ file: [UInt8]) -> [UInt8]? {
        let bytes = file.span.bytes
        guard WebPHeader.isSignature(bytes), let size = bytes.u32LE(4), 8 + size <= file.count else {
            return nil
        }
        let names: Set = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]
        var (chunks, offset) = ([UInt8](), 12)
        while offset + 8 <= 8 + size, let length = bytes.u32LE(offset + 4) {
            let end = min(offset + 8 + length + length % 2, file.count)
            guard offset + 8 + length <= file.count else { return nil }
            if names.contains(String(decoding: file[offset..<offset + 4], as: UTF8.self)) {
                chunks += file[offset..<end]
                if end < offset + 8 + length + length % 2 { chunks.append(0) }
            }
            offset = end
        }
        // The header announced EXIF (8) and XMP (4).
        if chunks.starts(with: "VP8X".utf8), chunks.count > 8 { chunks[8] &= ~12 }
        return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func bareJXL(_ file: [UInt8]) -> [UInt8]? {
        guard !file.starts(with: [0xFF, 0x0A]) else { return file }
        let boxes = MetadataBoxes(MetadataSource(file), in: 0..<file.count).all
        guard boxes.last?.whole.upperBound == file.count else { return nil }
        // What restores a JPEG (`jbrd`) needs the metadata that the JPEG had.
        let names: Set = ["JXL ", "ftyp", "jxll", "jxli", "jxlc", "jxlp"]
        return boxes.filter { names.contains($0.name) }.flatMap { file[$0.whole] }
    }

    /// More items of metadata than a file has.
    private static let mostItems = 64

    /// How many places are compared with each other.
    private static let mostPairs = 1 << 22

    /// Items keep their places: their bytes become zeros, and their kinds one that no program reads.
    private static func bareHEIF(_ file: [UInt8]) -> [UInt8]? {
        let boxes = MetadataBoxes(MetadataSource(file), in: 0..<file.count)
        guard boxes.all.last?.whole.upperBound == file.count, let meta = boxes.first("meta"),
            let items = MetadataItems(Array(file[meta])), items.isWhole
        else { return nil }
        var output = file
        var blanked = boxes.all.filter { ["uuid", "jumb", "free", "skip"].contains($0.name) }.map(\.content)
        for box in boxes.all where ["uuid", "jumb"].contains(box.name) {
            output.replaceSubrange(box.whole.prefix(8).suffix(4), with: "free".utf8)
        }
        let numbers = Set(items.all.map(\.number))
        func places(_ item: Int) -> [Range<Int>] {
            let start =
                items.inside.contains(item) ? meta.lowerBound + (items.idat?.lowerBound ?? file.count) : 0
            return (items.extents[item] ?? []).map { $0.lowerBound + start..<$0.upperBound + start }
        }
        for item in items.all {
            output.replaceSubrange(
                meta.lowerBound + item.place..<meta.lowerBound + item.place + 4, with: "free".utf8)
            blanked += places(item.number)
        }
        guard items.all.count <= mostItems else { return nil }
        let pictures = items.extents.keys.filter { !numbers.contains($0) }.flatMap(places)
        guard blanked.count * max(1, pictures.count) <= mostPairs,
            // They don't overlap, or the work for a small file would have no bound.
            blanked.reduce(0, { $0 + $1.count }) <= file.count
        else { return nil }
        // Where bytes of items may be: in boxes of the file, and in one of the `meta` box.
        var rooms = boxes.all.filter { $0.name != "meta" && $0.name != "ftyp" }.map(\.content)
        if let idat = items.idat {
            rooms.append(idat.lowerBound + meta.lowerBound..<idat.upperBound + meta.lowerBound)
        }
        for range in blanked where !range.isEmpty {
            // A malicious file's picture may be in its metadata.
            guard
                rooms.contains(where: { $0.contains(range.lowerBound) && range.upperBound <= $0.upperBound }),
                !pictures.contains(where: { $0.overlaps(range) })
            else { return nil }
            output.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
        return output
    }
}
