#if TIFF
    import AlcedoCodecs
    import AlcedoPixels

    /// The strips or tiles of a file's first directory (TIFF 6.0, BigTIFF).
    ///
    /// Read without libtiff: a program estimates memory itself, also for an image that a worker process decodes.
    struct TIFFBlocks {
        /// The tags that a block's size follows from, by their numbers.
        private enum Tag: Int {
            case bitsPerSample = 258
            case samplesPerPixel = 277
            case rowsPerStrip = 278
            case planarConfiguration = 284
            case tileWidth = 322
            case tileLength = 323
        }

        private var values: [Tag: Int] = [:]

        /// The first values of the tags; nil if the directory is not in the file.
        init?(_ bytes: RawSpan) {
            let layout = Layout(bytes)
            guard let directory = layout.directory(in: bytes) else { return nil }
            for index in 0..<directory.count {
                let entry = directory.start + index * layout.entrySize
                guard let tag = layout.u16(bytes, entry).flatMap(Tag.init) else { continue }
                values[tag] = layout.firstValue(bytes, entry)
            }
        }

        /// The bytes of a block of an image of `size`, or of one in each plane.
        ///
        /// Chroma counts as if it were not subsampled.
        func byteCount(in size: PixelSize) -> Int {
            let isTiled = values[.tileWidth] != nil
            let width = values[.tileWidth] ?? size.width
            let height = isTiled ? values[.tileLength] ?? 0 : min(values[.rowsPerStrip] ?? .max, size.height)
            let samples = min(values[.samplesPerPixel] ?? 1, Self.mostSamples)
            // Each plane has a block of its own for one sample, of which four are kept.
            let kept = values[.planarConfiguration] == 2 ? min(samples, 4) : samples
            let bits = Double(kept) * Double(values[.bitsPerSample] ?? 1)
            let count = (Double(width) * bits / 8).rounded(.up) * Double(height)
            return Int(min(count, Double(Self.most(in: size))))
        }

        /// As many as are decoded.
        private static let mostSamples = 16

        /// As many bytes as a block that is decoded may have.
        private static func most(in size: PixelSize) -> Int { size.area * 32 + (1 << 22) }
    }

    /// Where the numbers of a file are, and in which byte order.
    private struct Layout {
        private let isBigEndian: Bool

        /// Whether offsets have 8 bytes.
        private let isBig: Bool

        /// The most entries that a directory is read to, as many as one of TIFF 6.0 can have.
        private static let mostEntries = 65_535

        init(_ bytes: RawSpan) {
            isBigEndian = bytes.has("MM", at: 0)
            isBig = bytes.has("II+", at: 0) || bytes.has("MM\0+", at: 0)
        }

        var entrySize: Int { isBig ? 20 : 12 }

        /// The first entry, and how many there are.
        func directory(in bytes: RawSpan) -> (start: Int, count: Int)? {
            guard let offset = isBig ? u64(bytes, 8) : u32(bytes, 4),
                let count = isBig ? u64(bytes, offset) : u16(bytes, offset)
            else { return nil }
            let start = offset + (isBig ? 8 : 2)
            return (start, min(count, Self.mostEntries, max(0, bytes.byteCount - start) / entrySize))
        }

        /// The first number of an entry, whose numbers are in it if they fit; nil for another kind of value.
        func firstValue(_ bytes: RawSpan, _ entry: Int) -> Int? {
            guard let type = u16(bytes, entry + 2),
                let count = isBig ? u64(bytes, entry + 4) : u32(bytes, entry + 4)
            else { return nil }
            // SHORT, LONG and LONG8.
            guard let size = [3: 2, 4: 4, 16: 8][type] else { return nil }
            let field = entry + (isBig ? 12 : 8)
            let isInside = count <= (isBig ? 8 : 4) / size
            guard let place = isInside ? field : isBig ? u64(bytes, field) : u32(bytes, field) else {
                return nil
            }
            return switch size {
            case 2: u16(bytes, place)
            case 4: u32(bytes, place)
            default: u64(bytes, place)
            }
        }

        func u16(_ bytes: RawSpan, _ offset: Int) -> Int? {
            isBigEndian ? bytes.u16BE(offset) : bytes.u16LE(offset)
        }

        private func u32(_ bytes: RawSpan, _ offset: Int) -> Int? {
            isBigEndian ? bytes.u32BE(offset) : bytes.u32LE(offset)
        }

        /// Nil beyond what a file can have.
        private func u64(_ bytes: RawSpan, _ offset: Int) -> Int? {
            guard let first = u32(bytes, offset), let second = u32(bytes, offset + 4) else { return nil }
            let (high, low) = isBigEndian ? (first, second) : (second, first)
            return high < 1 << 16 ? high << 32 | low : nil
        }
    }
#endif
