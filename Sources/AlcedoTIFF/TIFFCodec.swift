#if TIFF
    import AlcedoCodecs
    public import AlcedoPixels

    /// TIFF through libtiff: the first image of a file.
    ///
    /// Grey, RGB, palettes and CMYK in integers of 1 to 32 and of 64 bits, and in floating-point numbers from 0 to 1, with
    /// alpha; what libtiff converts of YCbCr, CIE L\*a\*b\*, LogL and LogLuv. All become 8 bits. Strips and tiles are read in
    /// the compressions that libtiff was built with. Extra samples that the file does not call alpha are not shown.
    ///
    /// CMYK is converted with its profile, or without one by multiplying each ink by black, as by ``JPEGCodec``.
    ///
    /// JBIG, LERC and the old JPEG compression are decoded in worker processes only, as their decoders may end the process.
    public struct TIFFCodec: ImageCodec {
        private let isInWorker: Bool

        /// Creates the codec.
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
                var pixels = try PixelBuilder(size: reader.info.size, alpha: .opaque)
                pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                    try reader.read(into: output, options: options)
                }
                return pixels.freeze()
            }
        }

        /// Four bytes per pixel, a strip or a tile, encoded and decoded, and the fields of the directory; without libtiff.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let (directory, area) = (TIFFDirectory(bytes), info.size.area)
            // Larger blocks are an error.
            let block = min(
                directory?.blockBytes ?? 0, TIFFDirectory.mostPlanes * TIFFFile.mostBlockBytes(of: info.size),
                TIFFFile.largestAllocation(options.limits))
            // libtiff keeps the fields twice: as they are in the file, and as it uses them.
            let fields = min(directory?.valueBytes ?? 0, 2 * bytes.byteCount) * 2
            return DecodeMemory(result: area * 4, beside: block + bytes.byteCount + fields)
        }

        /// The profile of the first image.
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
#endif
