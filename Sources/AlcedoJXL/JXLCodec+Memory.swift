#if JXL
    public import AlcedoPixels

    extension JXLCodec {
        /// Eleven times the pixels, the measured maximum: for many files libjxl keeps all samples as 32-bit numbers.
        ///
        /// No header shows which files these are; others need 8 bytes per pixel.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            DecodeMemory(result: info.size.area * 4, beside: info.size.area * 41)
        }
    }
#endif
