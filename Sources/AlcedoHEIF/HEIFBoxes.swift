#if HEIF
    import AlcedoPixels

    /// The outermost boxes of an ISO/IEC 14496-12 file.
    enum HEIFBoxes {
        /// From the brands in the `ftyp` box; the first that means something decides.
        static func format(of bytes: RawSpan) -> EncodedFormat? {
            guard let length = u32(bytes, 0), u32(bytes, 4) == name("ftyp") else { return nil }
            for offset in [8] + Array(stride(from: 16, to: min(length, 256), by: 4)) {
                switch u32(bytes, offset) {
                case name("avif"): return .avif
                case name("heic"), name("heix"), name("heim"), name("heis"): return .heic
                default: continue
                }
            }
            return nil
        }

        /// Whether the last box ends where the bytes do, or before.
        static func areComplete(_ bytes: RawSpan) -> Bool {
            var offset = 0
            while offset < bytes.byteCount {
                guard let length = u32(bytes, offset) else { return false }
                switch length {
                case 0: return true
                case 1:
                    guard u32(bytes, offset + 8) == 0, let low = u32(bytes, offset + 12), low >= 16 else {
                        return false
                    }
                    offset += low
                case 2..<8: return false
                default: offset += length
                }
            }
            return offset == bytes.byteCount
        }

        private static func name(_ text: StaticString) -> Int {
            (0..<text.utf8CodeUnitCount).reduce(0) { $0 << 8 | Int(text.utf8Start[$1]) }
        }

        private static func u32(_ bytes: RawSpan, _ offset: Int) -> Int? {
            guard offset >= 0, offset + 4 <= bytes.byteCount else { return nil }
            return Int(UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
    }
#endif
