#if DEBUG || FUZZ
    @testable import AlcedoCodecs
    import AlcedoPixels

    #if HEIF
        @testable import AlcedoHEIF
    #endif
    #if JXL
        @testable import AlcedoJXL
    #endif

    /// Colour profiles: the check of their structure, then Little CMS.
    enum ProfileFuzz {
        static func run(_ bytes: [UInt8]) {
            _ = ICCProfile.description(of: bytes)
            if let part = ICCProfile.conversion(of: bytes) {
                precondition(ICCProfile.conversion(of: part) == part, "a part is not a whole")
            }
            for layout in [ColorLayout.bgra, .rgba, .grey, .invertedCMYK] {
                let source = ColorSource(profile: bytes, layout: layout)
                if let deep = source.deepTransform { convert(by: deep, layout) }
                guard let transform = source.transform else { continue }
                var pixels: [UInt32] = [0, 0xFFFF_FFFF, 0x8040_2010, 0x0102_0304]
                pixels.withUnsafeMutableBytes { buffer in
                    transform.apply(to: PixelRows(buffer, PixelSize(width: 4, height: 1)))
                }
            }
        }

        private static func convert(by transform: DeepTransform, _ layout: ColorLayout) {
            var pixels: [SIMD4<UInt16>] = [.zero, SIMD4(repeating: .max), SIMD4(1, 300, 40_000, 65_534)]
            var target: [UInt32] = [0, 0, 0]
            pixels.withUnsafeMutableBufferPointer { pixels in
                if layout == .invertedCMYK { DeepTransform.convert(inks: pixels, by: transform) }
                let isCMYK = layout == .invertedCMYK
                let convert = DeepConverter(
                    isCMYK ? nil : transform, alpha: .premultiplied, options: DecodeOptions())
                target.withUnsafeMutableBufferPointer { target in
                    if let start = target.baseAddress { _ = convert(pixels, to: start, at: (0, 0)) }
                }
            }
        }
    }

    #if JXL
        /// Frames of JPEG XL, found without decoding any.
        enum JXLStructureFuzz {
            static func run(_ bytes: [UInt8]) {
                bytes.withUnsafeBytes { buffer in
                    let content = JXLContainer.content(of: EncodedBytes(sharing: buffer, of: nil))
                    let codestream = content.codestream.buffer
                    precondition(codestream.count <= buffer.count)
                    let limits = DecoderFuzz<JXLCodec>.limits
                    guard let structure = try? JXLProbe.structure(of: codestream, limits: limits) else {
                        return
                    }
                    precondition(structure.ends == structure.ends.sorted(), "a frame ends before it starts")
                    precondition(structure.ends.count <= 4 * limits.frames + 4)
                    _ = try? JXLProbe.structure(
                        of: codestream,
                        limits: DecodeLimits {
                            $0.pixelsPerFrame = .max
                            $0.pixelsPerAnimation = .max
                            $0.frames = .max
                        })
                }
            }
        }
    #endif

    #if HEIF
        /// The boxes of HEIF files as they are read here, before a library sees them.
        enum HEIFBoxFuzz {
            static func run(_ bytes: [UInt8]) {
                let span = bytes.span.bytes
                _ = HEIFBoxes.format(of: span)
                _ = HEIFBoxes.areComplete(span)
                _ = HEIFBoxes.loopCount(of: span)
                if let items = HEIFItems(span) {
                    precondition(items.end >= 0)
                    _ = HEVCSizes(of: items, in: span)
                }
                bytes.withUnsafeBytes { buffer in
                    let changed = AVIFRepair.repaired(buffer)
                    precondition(changed.map { $0.buffer.count == buffer.count } ?? true)
                }
            }
        }
    #endif
#endif
