#if HEIF
    public import AlcedoPixels

    extension HEIFCodec {
        /// The pixels and the measured buffers of the decoder and libheif: 9 bytes a pixel for HEIC, 13 for AVIF.
        ///
        /// Further canvases of a HEIC take 4 bytes a pixel each, and each tile of an AVIF a decoder.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let area = info.size.area
            var memory = DecodeMemory(result: area * 4, beside: area * (info.format == .avif ? 9 : 5))
            guard let items = HEIFItems(bytes) else { return memory }
            memory.beside += items.copiedBytes(info.format, byteCount: bytes.byteCount)
            if info.format == .avif {
                memory.beside += items.tileCount * AVIFReader.tileBytes
            } else if (try? items.check(.heic, byteCount: bytes.byteCount, options.limits)) != nil,
                let canvases = HEVCSizes(of: items, in: bytes)?.canvases
            {
                memory.beside += max(0, min(canvases, area * 8) - area) * 4
            }
            return memory
        }
    }
#endif
