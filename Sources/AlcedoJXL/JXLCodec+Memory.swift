#if JXL
    public import AlcedoPixels

    extension JXLCodec {
        /// Eleven times the pixels, the most that was measured: of many files libjxl keeps all numbers, of four bytes each.
        ///
        /// It tells from no header which those are; others take eight bytes a pixel.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            DecodeMemory(result: info.size.area * 4, beside: info.size.area * 41)
        }
    }
#endif
