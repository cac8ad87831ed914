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
                guard let transform = ColorTransform.toSRGB(from: bytes, layout: layout) else { continue }
                var pixels: [UInt32] = [0, 0xFFFF_FFFF, 0x8040_2010, 0x0102_0304]
                pixels.withUnsafeMutableBytes { buffer in
                    transform.apply(to: PixelRows(buffer, PixelSize(width: 4, height: 1)))
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
