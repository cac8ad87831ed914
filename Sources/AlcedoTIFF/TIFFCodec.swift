#if TIFF
    import AlcedoCodecs
    public import AlcedoPixels

    /// TIFF through libtiff: the first image of a file.
    ///
    /// Strips and tiles of 1 to 16 bits per sample: grey, RGB, palettes, YCbCr, CMYK and CIE L\*a\*b\*, in the compressions
    /// that libtiff was built with. 8 bits are kept. Floating-point samples are not supported, nor is the profile of a CMYK
    /// image applied.
    public struct TIFFCodec: ImageCodec {
        /// Creates the codec.
        public init() {}

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

        /// Four bytes per pixel, and a strip or a tile, encoded and decoded; without libtiff.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let block = TIFFBlocks(bytes)?.byteCount(in: info.size) ?? 0
            return DecodeMemory(result: info.size.area * 4, beside: block + bytes.byteCount)
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
                try body(TIFFReader(buffer, limits: limits))
            }
        }
    }
#endif
