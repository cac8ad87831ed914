#if HEIF
    public import AlcedoPixels

    extension HEIFCodec {
        /// Pixels, and what the decoder and libheif keep of them, as was measured.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            DecodeMemory(
                result: info.size.area * 4, beside: info.size.area * (info.format == .avif ? 9 : 5))
        }
    }
#endif
