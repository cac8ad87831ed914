#if DEBUG || FUZZ
    import AlcedoPixels

    #if TIFF
        @testable import AlcedoTIFF
    #endif
    #if JP2
        @testable import AlcedoJP2
    #endif
    #if SVG
        @testable import AlcedoSVG
    #endif
    #if Video
        import AlcedoCodecs
        @testable import AlcedoVideo
        import Glibc
    #endif

    #if TIFF
        /// The directory of a TIFF, which decides on memory before libtiff sees it.
        enum TIFFDirectoryFuzz {
            static func run(_ bytes: [UInt8]) {
                guard let directory = TIFFDirectory(bytes.span.bytes) else { return }
                precondition(directory.valueBytes >= 0 && directory.blockBytes >= 0)
                let again = TIFFDirectory(bytes.span.bytes)
                precondition(again?.valueBytes == directory.valueBytes)
                precondition(again?.blockBytes == directory.blockBytes)
                for count in [bytes.count / 2, bytes.count - 1] where count > 0 {
                    let first = TIFFDirectory(bytes.span.extracting(0..<count).bytes)
                    precondition(first.map { $0.valueBytes <= directory.valueBytes } ?? true)
                    precondition(first.map { $0.blockBytes <= directory.blockBytes } ?? true)
                }
            }
        }
    #endif

    #if JP2
        /// The boxes, the sizes and the styles of a JPEG 2000, which bound what OpenJPEG allocates.
        enum JP2StructureFuzz {
            static func run(_ bytes: [UInt8]) {
                for limits in [DecoderFuzz<JP2Codec>.limits, DecodeLimits(pixelsPerFrame: .max)] {
                    guard let header = try? JP2Header(bytes.span.bytes, limits: limits) else { continue }
                    check(header, bytes.count, limits)
                    for count in [bytes.count / 2, bytes.count - 1] where count > 0 {
                        let first = try? JP2Header(
                            bytes.span.extracting(0..<count).bytes, limits: limits)
                        if let first { check(first, isPartOf: header) }
                    }
                }
            }

            private static func check(_ header: JP2Header, _ byteCount: Int, _ limits: DecodeLimits) {
                let samples = header.size.area * header.components.count
                precondition(!header.size.isEmpty && (1...5).contains(header.components.count))
                precondition(
                    header.size.area <= max(limits.pixelsPerFrame, limits.storedPixelsPerFrame))
                precondition((1...512 + header.size.area / 4096).contains(header.tileCount))
                precondition((0...header.tileCount).contains(header.missingTiles))
                precondition((0...32).contains(header.levels) && (0...5).contains(header.paletteChannels))
                precondition((0...64 << 20 + 8 * samples).contains(header.structure.bytes))
                precondition(header.structure.packets >= 0)
                precondition(header.profile.map { (0...byteCount).contains($0.upperBound) } ?? true)
            }

            private static func check(_ first: JP2Header, isPartOf header: JP2Header) {
                // Without its end, another box may be taken for the code stream's.
                guard first.size == header.size, first.components.count == header.components.count else {
                    return
                }
                precondition(first.missingTiles >= header.missingTiles)
                precondition(first.structure.bytes <= header.structure.bytes)
                precondition(first.structure.packets <= header.structure.packets)
            }
        }
    #endif

    #if SVG
        /// An SVG as it is read and rewritten, and its work is added up, before librsvg sees it.
        enum SVGDocumentFuzz {
            static func run(_ bytes: [UInt8]) {
                let limits = DecodeLimits {
                    $0.pixelsPerFrame = 1 << 19
                    $0.seconds = .infinity
                }
                guard let document = try? SVGDocument(bytes.span.bytes, limits: limits, withImages: false)
                else { return }
                let again = try? SVGDocument(bytes.span.bytes, limits: limits, withImages: false)
                precondition(again?.text == document.text, "read twice, read otherwise")
                let size = document.frame.pixelSize
                precondition(!size.isEmpty && again?.frame.pixelSize == size)
                // What librsvg gets has the size that was read.
                let rest = try? SVGDocument(document.text.span.bytes, limits: limits, withImages: false)
                precondition(rest.map { $0.frame.pixelSize == size } ?? true)
                let totals = SVGTotals(limits)
                _ = try? document.work.check(
                    at: size, of: document.frame.units(in: document.frame.size), totals: totals)
            }
        }
    #endif

    #if Video
        /// The end of a video as its container has it.
        enum VideoEndFuzz {
            static func run(_ bytes: [UInt8]) {
                guard let stream = tmpfile() else { return }
                defer { fclose(stream) }
                guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, fflush(stream) == 0 else {
                    return
                }
                let file = fileno(stream)
                guard let container = VideoContainer(file) else { return }
                let end = FileEnd(file, container)
                let isWhole = try? end.isWhole(deadline: .never)
                precondition(isWhole == (try? end.isWhole(deadline: .never)))
                precondition(isWhole != nil, "it took for ever")
            }
        }
    #endif
#endif
