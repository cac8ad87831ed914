#if HEIF
    public import AlcedoPixels

    extension HEIFCodec {
        /// The pixels and the measured buffers of the decoder and libheif.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            DecodeMemory(
                result: info.size.area * 4, beside: info.size.area * (info.format == .avif ? 9 : 5))
        }
    }
#endif
