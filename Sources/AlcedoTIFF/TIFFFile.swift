#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import CTiff

    /// A file that libtiff has opened, at its first directory.
    final class TIFFFile {
        let handle: OpaquePointer

        private let source: TIFFSource
        private let byteCount: Int

        /// Opens a file; `bytes` must outlive it.
        init(
            _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits, isInWorker: Bool
        ) throws(CodecError) {
            try libtiff.check()
            try TIFFDirectory(bytes.bytes)?.check(byteCount: bytes.count)
            let source = TIFFSource(bytes)
            guard let handle = source.open(largestAllocation: Self.largestAllocation(limits)) else {
                throw Self.isCutShort(bytes) ? .truncated(.tiff) : source.damage
            }
            (self.handle, self.source, byteCount) = (handle, source, bytes.count)
            guard !isInWorker, let name = Self.workerCompressions[Int(u16(TIFFTAG_COMPRESSION) ?? 0)] else {
                return
            }
            throw .unsupported(
                .tiff,
                reason:
                    "\(name) compression is decoded in worker processes only; install alcedo-decode-heif, and "
                    + "do not turn isolation off")
        }

        /// Bytes of an allocation: eight for each pixel that a frame may have.
        static func largestAllocation(_ limits: DecodeLimits) -> Int {
            let (bytes, overflow) = max(limits.pixelsPerFrame, 1 << 20).multipliedReportingOverflow(by: 8)
            return overflow ? .max : bytes
        }

        /// Compressions whose decoders may end the process or not end at all, by the number in the file.
        ///
        /// libjbig aborts if it gets no memory for a size in the data, which may be any, and decodes all rows that the data
        /// announces. libLerc is C++ that throws, and for the old JPEG libtiff guesses what files mean.
        private static let workerCompressions = [
            Int(COMPRESSION_JBIG): "JBIG", Int(COMPRESSION_OJPEG): "old JPEG", Int(COMPRESSION_LERC): "LERC",
        ]

        deinit { libtiff.Close(handle) }

        var damage: CodecError { source.damage }

        var size: PixelSize {
            PixelSize(width: Int(u32(TIFFTAG_IMAGEWIDTH)), height: Int(u32(TIFFTAG_IMAGELENGTH)))
        }

        var samplesPerPixel: Int { Int(u16(TIFFTAG_SAMPLESPERPIXEL) ?? 1) }

        /// As the pixels are stored.
        var orientation: ImageOrientation {
            u16(TIFFTAG_ORIENTATION).flatMap { ImageOrientation(rawValue: Int($0)) } ?? .up
        }

        /// Whether the compression is one of fax machines, in which 0 is white.
        var isFax: Bool {
            let kinds = [
                COMPRESSION_CCITTRLE, COMPRESSION_CCITTRLEW, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
            ]
            return kinds.contains(Int32(u16(TIFFTAG_COMPRESSION) ?? 1))
        }

        /// The kinds of the samples after the colours.
        var extraSamples: [UInt16] {
            var count: UInt16 = 0
            var kinds: UnsafePointer<UInt16>?
            guard alcedo_tiff_extras(libtiff, handle, &count, &kinds) == 1, let kinds else { return [] }
            return Array(UnsafeBufferPointer(start: kinds, count: min(Int(count), samplesPerPixel)))
        }

        /// The colours of a palette, as RGB0; `count` is that of the numbers that a sample may have.
        func palette(count: Int) throws(CodecError) -> [UInt32] {
            var (red, green, blue): (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?)
            guard alcedo_tiff_palette(libtiff, handle, &red, &green, &blue) == 1, let red, let green, let blue
            else {
                throw .corrupt(.tiff, reason: "it has no palette")
            }
            // Programs write palettes as 8-bit values: multiplied by 256, by 257, or unchanged.
            let isOfBytes = (0..<count).allSatisfy { max(red[$0], green[$0], blue[$0]) < 256 }
            func byte(_ number: UInt16) -> UInt32 {
                UInt32(isOfBytes ? number : number >> 8)
            }
            return (0..<count).map { byte(red[$0]) | byte(green[$0]) << 8 | byte(blue[$0]) << 16 }
        }

        // MARK: - Strips and tiles

        private var isTiled: Bool { libtiff.IsTiled(handle) != 0 }

        /// The pixels of a strip or a tile.
        var blockSize: PixelSize {
            guard isTiled else {
                return PixelSize(width: size.width, height: min(Int(u32(TIFFTAG_ROWSPERSTRIP)), size.height))
            }
            return PixelSize(width: Int(u32(TIFFTAG_TILEWIDTH)), height: Int(u32(TIFFTAG_TILELENGTH)))
        }

        /// The bytes of a strip or a tile.
        var bytesPerBlock: Int {
            Int(clamping: isTiled ? libtiff.TileSize64(handle) : libtiff.StripSize64(handle))
        }

        /// The largest strip or tile of an image: 16 samples of 64 bits, and tiles that extend over the edges.
        static func mostBlockBytes(of size: PixelSize) -> Int { min(size.area, 1 << 48) * 128 + (1 << 24) }

        /// Throws if strips or tiles are much larger than the image.
        func checkBlocks() throws(CodecError) {
            let bytes = bytesPerBlock
            guard !blockSize.isEmpty, bytes > 0, bytes <= Self.mostBlockBytes(of: size) else {
                throw .corrupt(.tiff, reason: "its \(isTiled ? "tiles are" : "strips are") of \(bytes) bytes")
            }
        }

        /// Memory for a strip or a tile of each of `planes`.
        func block(rowBytes: Int, planes: Int, limits: DecodeLimits) throws(CodecError) -> TIFFBlock {
            let bytes = bytesPerBlock
            guard bytes * planes <= Self.largestAllocation(limits) else {
                throw .limitExceeded(.pixels, value: bytes * planes / 8, limit: limits.pixelsPerFrame)
            }
            return try TIFFBlock(size: blockSize, rowBytes: rowBytes, planeBytes: bytes, planes: planes)
        }

        /// Decodes the strip or the tile that starts at a pixel, in the byte order of this machine; throws if it has fewer bytes.
        func read(
            _ place: (x: Int, y: Int), plane: Int, into target: UnsafeMutableRawBufferPointer,
            atLeast least: Int
        ) throws(CodecError) {
            let (y, plane, size) = (UInt32(place.y), UInt16(plane), tmsize_t(target.count))
            let count: tmsize_t
            if isTiled {
                let tile = libtiff.ComputeTile(handle, UInt32(place.x), y, 0, plane)
                count = libtiff.ReadEncodedTile(handle, tile, target.baseAddress, size)
            } else {
                let strip = libtiff.ComputeStrip(handle, y, plane)
                count = libtiff.ReadEncodedStrip(handle, strip, target.baseAddress, size)
            }
            guard count >= least else { throw damage }
        }

        var isComplete: Bool {
            let count = isTiled ? libtiff.NumberOfTiles(handle) : libtiff.NumberOfStrips(handle)
            return (0..<count).allSatisfy { index in
                let (end, overflow) = libtiff.GetStrileOffset(handle, index)
                    .addingReportingOverflow(libtiff.GetStrileByteCount(handle, index))
                return !overflow && end <= byteCount
            }
        }

        /// The embedded profile; nil without one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? {
            var count: UInt32 = 0
            var bytes: UnsafeRawPointer?
            guard alcedo_tiff_profile(libtiff, handle, &count, &bytes) == 1, let bytes, count <= limit else {
                return nil
            }
            return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }

        /// The value of a field, or its default; nil without either.
        func u16(_ tag: Int32) -> UInt16? {
            var value: UInt16 = 0
            return alcedo_tiff_u16(libtiff, handle, UInt32(tag), &value) == 1 ? value : nil
        }

        private func u32(_ tag: Int32) -> UInt32 {
            var value: UInt32 = 0
            return alcedo_tiff_u32(libtiff, handle, UInt32(tag), &value) == 1 ? value : 0
        }

        /// Whether the first directory is beyond the end.
        private static func isCutShort(_ bytes: UnsafeRawBufferPointer) -> Bool {
            let span = bytes.bytes
            let first = span.has("MM", at: 0) ? span.u32BE(4) : span.u32LE(4)
            return first.map { $0 + 2 > span.byteCount } ?? true
        }
    }

    // MARK: - Samples

    extension TIFFSamples {
        /// Nil if libtiff has to convert the colours; throws if it can't either.
        init?(_ file: TIFFFile) throws(CodecError) {
            let perPixel = file.samplesPerPixel
            let bits = Int(file.u16(TIFFTAG_BITSPERSAMPLE) ?? 1)
            let isPlanar = perPixel > 1 && Int32(file.u16(TIFFTAG_PLANARCONFIG) ?? 1) == PLANARCONFIG_SEPARATE
            let extras = file.extraSamples
            guard let colors = try Self.colors(of: file, count: perPixel - extras.count) else { return nil }
            let number = try Self.number(of: file, bits, isIndex: colors == .palette)
            guard perPixel >= colors.count else {
                throw .unsupported(
                    .tiff, reason: "it has \(perPixel) samples per pixel for \(colors.count) colours")
            }
            let first = perPixel - extras.count
            let kinds = [EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNASSALPHA]
            let alpha = extras.indices
                .first { kinds.contains(Int32(extras[$0])) && first + $0 >= colors.count }
                .map {
                    // The number of a colour can't be multiplied.
                    let isAssociated = Int32(extras[$0]) == EXTRASAMPLE_ASSOCALPHA && colors != .palette
                    return Alpha(sample: first + $0, isAssociated: isAssociated)
                }
            self.init(
                colors: colors, number: number, bits: bits, perPixel: perPixel, isPlanar: isPlanar,
                alpha: alpha)
        }

        /// Nil for colours that libtiff converts.
        ///
        /// `count` is the number of samples that are no extra samples.
        private static func colors(of file: TIFFFile, count: Int) throws(CodecError) -> Colors? {
            guard let photometric = file.u16(TIFFTAG_PHOTOMETRIC).map(Int32.init) else {
                // As libtiff guesses.
                guard count == 1 || count == 3 else {
                    throw .unsupported(.tiff, reason: "it has no photometric interpretation")
                }
                return count == 3 ? .rgb : .grey(isInverted: file.isFax)
            }
            switch photometric {
            case PHOTOMETRIC_MINISWHITE: return .grey(isInverted: true)
            case PHOTOMETRIC_MINISBLACK: return .grey(isInverted: false)
            case PHOTOMETRIC_RGB: return .rgb
            case PHOTOMETRIC_PALETTE: return .palette
            case PHOTOMETRIC_SEPARATED:
                guard Int32(file.u16(TIFFTAG_INKSET) ?? 1) == INKSET_CMYK else {
                    throw .unsupported(.tiff, reason: "its inks are not cyan, magenta, yellow and black")
                }
                return .cmyk
            case PHOTOMETRIC_YCBCR, PHOTOMETRIC_CIELAB, PHOTOMETRIC_LOGL, PHOTOMETRIC_LOGLUV: return nil
            default: throw .unsupported(.tiff, reason: "its photometric interpretation is \(photometric)")
            }
        }

        private static func number(
            of file: TIFFFile, _ bits: Int, isIndex: Bool
        ) throws(CodecError) -> Number {
            let (number, name): (Number, String)
            switch Int32(file.u16(TIFFTAG_SAMPLEFORMAT) ?? 1) {
            case SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID: (number, name) = (.unsigned, "unsigned")
            case SAMPLEFORMAT_INT: (number, name) = (.signed, "signed")
            case SAMPLEFORMAT_IEEEFP: (number, name) = (.float, "floating-point")
            default: throw .unsupported(.tiff, reason: "its samples are complex numbers")
            }
            let isSupported =
                switch number {
                case _ where isIndex: number == .unsigned && (1...16).contains(bits)
                case .float: [16, 24, 32, 64].contains(bits)
                case .unsigned, .signed: (1...32).contains(bits) || bits == 64
                }
            guard isSupported else {
                let place = isIndex ? " for a palette" : ""
                throw .unsupported(.tiff, reason: "its samples are \(name) numbers of \(bits) bits\(place)")
            }
            return number
        }
    }
#endif
