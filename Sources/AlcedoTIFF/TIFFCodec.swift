#if TIFF
    import AlcedoCodecs
    public import AlcedoPixels
    import CTiff

    /// TIFF through libtiff: the first image of a file.
    ///
    /// Grey, RGB, palettes and CMYK in integers of 1 to 32 and of 64 bits, and in floating-point numbers from 0 to 1, with
    /// alpha; what libtiff converts of YCbCr, CIE L\*a\*b\*, LogL and LogLuv. All become 8 bits, samples of more bits once
    /// their colours are converted, see ``DecodeLimits/isDithered``; with ``ColorRetention/full`` grey, RGB and CMYK keep 16
    /// bits, and RGB its profile. Strips and tiles are read in
    /// the compressions that libtiff was built with. Extra samples that the file does not call alpha are not shown.
    ///
    /// CMYK is converted with its profile, or without one by multiplying each ink by black, as by ``JPEGCodec``.
    ///
    /// JBIG, LERC and the old JPEG compression are decoded in worker processes only, as their decoders may end the process.
    public struct TIFFCodec: ImageCodec {
        private let isInWorker: Bool

        public init() { isInWorker = false }

        /// Creates the codec for a process that may end.
        package init(isInWorker: Bool) { self.isInWorker = isInWorker }

        /// TIFF by its signature, classic (TIFF 6.0) or BigTIFF, in either byte order.
        public func format(of bytes: RawSpan) -> EncodedFormat? {
            let signatures: [StaticString] = ["II*\0", "MM\0*", "II+\0", "MM\0+"]
            return signatures.contains { bytes.has($0, at: 0) } ? .tiff : nil
        }

        /// Reads the first directory, and the offsets of its strips or tiles.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            try reading(bytes, limits) { (reader) throws(CodecError) in reader.info }
        }

        /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            try reading(bytes, options.limits) { (reader) throws(CodecError) in
                guard reader.info.isComplete else { throw .truncated(.tiff) }
                return try reader.bitmap(options: options)
            }
        }

        /// Four bytes per pixel, or eight that may be deep, a strip or a tile, encoded and decoded, and the fields of the directory; without libtiff.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let (directory, area) = (TIFFDirectory(bytes), info.size.area)
            // Larger blocks are an error.
            let block = min(
                directory?.blockBytes ?? 0, TIFFDirectory.mostPlanes * TIFFFile.mostBlockBytes(of: info.size),
                TIFFFile.largestAllocation(options.limits))
            // libtiff keeps the fields twice: as they are in the file, and as it uses them.
            let fields = min(directory?.valueBytes ?? 0, 2 * bytes.byteCount) * 2
            let result = area * options.colorRetention.bytesPerPixel
            return DecodeMemory(result: result, beside: block + bytes.byteCount + fields)
        }

        public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
            let profile = try? reading(bytes, limits) { (reader) throws(CodecError) in
                reader.profile(limit: limits.metadataBytes)
            }
            return profile ?? nil
        }

        private func reading<Result>(
            _ bytes: RawSpan, _ limits: DecodeLimits,
            _ body: (TIFFReader) throws(CodecError) -> Result
        ) throws(CodecError) -> Result {
            try limits.check(encodedBytes: bytes.byteCount)
            guard format(of: bytes) != nil else { throw .unknownFormat }
            return try bytes.withUnsafeBytes { (buffer) throws(CodecError) in
                try body(TIFFReader(buffer, limits: limits, isInWorker: isInWorker))
            }
        }
    }

    extension TIFFCodec: ColorDescribing {
        package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
            TIFFDirectory(bytes).map {
                StoredColors(bits: $0.depth.bits, isFloat: $0.depth.isFloat, isCMYK: $0.isCMYK)
            }
        }
    }

    extension TIFFCodec {
        /// Writes TIFF, without loss.
        public var encodableFormats: [EncodedFormat] { [.tiff] }

        /// Writes 8 bits of red, green and blue, and of alpha if `bitmap` is not opaque, compressed by LZW without loss.
        ///
        /// Of a deep bitmap 16 bits are written, with an ICC profile for its colour space; PQ and HLG, which no profile has, become
        /// sRGB of 8 bits. ``EncodeOptions/depth`` chooses another depth. Alpha is associated (TIFF 6.0) for
        /// premultiplied pixels, and unassociated for straight ones, so neither changes.
        ///
        /// - Throws: ``CodecError/encodingFailed(_:reason:)`` if the file would have more than 4 GiB.
        public func encode(
            _ bitmap: Bitmap,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            guard format == .tiff else {
                throw .unsupported(format, reason: "the TIFF codec does not write it")
            }
            try libtiff.check()
            var (profile, bitmap) = (bitmap.colorSpace.profile, bitmap)
            if bitmap.colorSpace != .sRGB, profile == nil { bitmap = try bitmap.standard() }
            if options.depth == 8 { (bitmap, profile) = try bitmap.eightBits() }
            if options.depth == 16 { bitmap = try bitmap.deepened() }
            if !bitmap.isDeep { profile = profile ?? options.profile }
            let target = TIFFTarget()
            guard let handle = target.open() else { throw target.failure }
            var isWritten = Self.writeDirectory(of: bitmap, profile, to: handle)
            let channels = bitmap.alpha == .opaque ? 3 : 4
            var row = [UInt8](repeating: 0, count: bitmap.width * bitmap.bytesPerPixel)
            for y in 0..<bitmap.height where isWritten {
                Self.write(y, of: bitmap, channels: channels, to: &row)
                isWritten = libtiff.WriteScanline(handle, &row, UInt32(y), 0) == 1
            }
            isWritten = isWritten && libtiff.Flush(handle) == 1
            libtiff.Close(handle)
            guard isWritten else { throw target.failure }
            return target.bytes
        }

        /// Writes the samples of row `y`, in the byte order of this machine.
        private static func write(_ y: Int, of bitmap: Bitmap, channels: Int, to row: inout [UInt8]) {
            let pixels = y * bitmap.width..<(y + 1) * bitmap.width
            guard bitmap.isDeep else {
                let source = bitmap.storage.bindMemory(to: SIMD4<UInt8>.self)
                for (x, pixel) in source[pixels].enumerated() {
                    let place = x * channels
                    (row[place], row[place + 1], row[place + 2]) = (pixel.z, pixel.y, pixel.x)
                    if channels == 4 { row[place + 3] = pixel.w }
                }
                return
            }
            let source = bitmap.storage.bindMemory(to: SIMD4<UInt16>.self)
            row.withUnsafeMutableBytes { row in
                let samples = row.bindMemory(to: UInt16.self)
                for (x, pixel) in source[pixels].enumerated() {
                    for channel in 0..<channels { samples[x * channels + channel] = pixel[channel] }
                }
            }
        }

        private static func writeDirectory(
            of bitmap: Bitmap, _ profile: [UInt8]?, to handle: OpaquePointer
        ) -> Bool {
            let isOpaque = bitmap.alpha == .opaque
            let fields: [(tag: Int32, value: Int)] = [
                (TIFFTAG_IMAGEWIDTH, bitmap.width), (TIFFTAG_IMAGELENGTH, bitmap.height),
                (TIFFTAG_BITSPERSAMPLE, bitmap.isDeep ? 16 : 8), (TIFFTAG_SAMPLESPERPIXEL, isOpaque ? 3 : 4),
                (TIFFTAG_PHOTOMETRIC, Int(PHOTOMETRIC_RGB)),
                (TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG)),
                (TIFFTAG_COMPRESSION, Int(COMPRESSION_LZW)), (TIFFTAG_PREDICTOR, Int(PREDICTOR_HORIZONTAL)),
            ]
            for field in fields
            where alcedo_tiff_set(libtiff, handle, UInt32(field.tag), UInt32(field.value)) != 1 {
                return false
            }
            let kind = bitmap.alpha == .straight ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_ASSOCALPHA
            guard isOpaque || alcedo_tiff_set_alpha(libtiff, handle, UInt16(kind)) == 1 else { return false }
            if let profile,
                alcedo_tiff_set_profile(libtiff, handle, UInt32(profile.count), profile) != 1
            {
                return false
            }
            let rows = libtiff.DefaultStripSize(handle, 0)
            return alcedo_tiff_set(libtiff, handle, UInt32(TIFFTAG_ROWSPERSTRIP), rows) == 1
        }
    }
#endif
