#if JP2
    import AlcedoCodecs
    package import AlcedoPixels

    extension JP2Codec: ColorDescribing {
        package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
            var boxes = JP2Boxes()
            if bytes.u32BE(0) == JP2Boxes.codestreamStart {
                boxes.codestream = 0..<bytes.byteCount
            } else {
                boxes.read(bytes)
            }
            // The first component's in the marker SIZ (ISO/IEC 15444-1, A.5.1), whose highest bit stands for
            // signed samples.
            guard let start = boxes.codestream?.lowerBound, let depth = bytes.u8(start + 42) else {
                return nil
            }
            let bits = depth & 0x7F + 1
            // A palette has depths of its own.
            return StoredColors(
                bits: boxes.paletteChannels == nil ? bits : 8,
                isCMYK: JP2Colors(boxes.colors, bytes).isCMYK)
        }
    }
#endif
