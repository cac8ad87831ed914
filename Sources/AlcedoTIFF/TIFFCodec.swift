#if TIFF
    import AlcedoCodecs
    public import AlcedoPixels

    /// TIFF through libtiff: the first image of a file.
    ///
    /// Strips and tiles of 1 to 16 bits per sample: grey, RGB, palettes, YCbCr, CMYK and CIE L\*a\*b\*, in the compressions
    /// that libtiff was built with. 8 bits are kept. Floating-point samples are not supported, nor is the profile of a CMYK
    /// image applied.
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
                let size = reader.info.size
                let finish = RowConverter(
                    reader.transform(limit: options.limits.metadataBytes), hasAlpha: reader.info.hasAlpha,
                    isPremultiplied: true, options: options)
                var pixels = try PixelBuilder(size: size, alpha: .opaque)
                pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                    try reader.read(into: output, Deadline(options.limits))
                    return finish(PixelRows(output, size))
                }
                return pixels.freeze()
            }
        }

        /// Four bytes per pixel, a strip or a tile, encoded and decoded, and the fields of the directory; without libtiff.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let (directory, area) = (TIFFDirectory(bytes), info.size.area)
            // Larger blocks are an error.
            let block = min(directory?.blockBytes ?? 0, area * 32 + (1 << 22))
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
