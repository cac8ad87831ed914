#if JXL
    import AlcedoPixels
    import CJxl

    /// All frames of a code stream, including those that libjxl does not report, found without decoding.
    ///
    /// libjxl allocates memory by a frame's header, and ends the process for some sizes, so all headers are checked first.
    struct JXLStructure {
        /// Where each frame ends, in bytes; the last one may end beyond the bytes.
        private(set) var ends: [Int] = []
        /// Counts of groups in which frames are decoded.
        private(set) var groupCounts: Set<Int> = []
        /// Whether all frames are there.
        private(set) var isComplete = false
        private(set) var hasModularFrames = false
        /// Whether some frame is composed with others.
        private(set) var hasBlendedFrames = false

        /// Pixels of all layers of one picture, as a multiple of ``DecodeLimits/pixelsPerFrame``.
        private static let mostLayers = 4
        /// Frames with and without pixels to show, as a multiple of ``DecodeLimits/frames``.
        private static let mostHidden = 4

        private var heights: Set<Int> = []
        private var shown = 0
        private var picture = 0
        private var all = 0
        /// Pixels that are kept for later frames to refer to.
        private var kept = [Int](repeating: 0, count: 4)

        /// Reads the headers of `codestream` from `start`, where the first frame is.
        ///
        /// - Throws: ``CodecError`` if a header is wrong or the frames are more than `limits` allow.
        init(
            _ codestream: UnsafeRawBufferPointer,
            from start: Int,
            _ info: JxlBasicInfo,
            limits: DecodeLimits
        ) throws(CodecError) {
            let canvas = PixelSize(width: Int(info.xsize), height: Int(info.ysize))
            var next = start
            do throws(CodecError) {
                if info.have_preview != 0 {
                    let preview = PixelSize(width: Int(info.preview.xsize), height: Int(info.preview.ysize))
                    _ = try frame(&next, codestream, info, canvas: preview, limits, isPreview: true)
                }
                while next < codestream.count {
                    if try frame(&next, codestream, info, canvas: canvas, limits).isLast {
                        isComplete = next <= codestream.count
                        break
                    }
                }
            } catch .truncated {
                isComplete = false
            }
            // As many tasks as there are rows may be rows, which ``JXLRunner`` must not reject.
            groupCounts.subtract(heights)
        }

        private mutating func frame(
            _ next: inout Int,
            _ codestream: UnsafeRawBufferPointer,
            _ info: JxlBasicInfo,
            canvas: PixelSize,
            _ limits: DecodeLimits,
            isPreview: Bool = false
        ) throws(CodecError) -> JXLFrameHeader {
            var bits = JXLBits(codestream, from: next)
            let header = try JXLFrameHeader(&bits, info, canvas: canvas)
            try check(header, limits)
            let isPermuted = try bits.bool()
            guard !isPermuted || header.isLast && !isPreview else {
                throw .unsupported(.jxl, reason: "a frame before the last one is stored out of order")
            }
            note(header)
            guard !isPermuted else {
                next = codestream.count
                ends.append(next)
                return header
            }
            try bits.align()
            var length = 0
            for _ in 0..<header.sections {
                length += try bits.u32((0, 10), (1024, 14), (17408, 22), (4_211_712, 30))
            }
            try bits.align()
            next = bits.position / 8 + length
            ends.append(next)
            return header
        }

        private mutating func check(_ header: JXLFrameHeader, _ limits: DecodeLimits) throws(CodecError) {
            try limits.check(frame: header.size, of: .jxl)
            // Sums of so many frames don't overflow.
            let area = min(header.size.area, 1 << 40)
            picture += area
            all += area
            guard picture / Self.mostLayers <= limits.pixelsPerFrame else {
                throw .limitExceeded(.pixels, value: picture / Self.mostLayers, limit: limits.pixelsPerFrame)
            }
            guard all <= max(limits.pixelsPerAnimation, limits.pixelsPerFrame) else {
                throw .limitExceeded(.animationPixels, value: all, limit: limits.pixelsPerAnimation)
            }
            if let slot = header.slot { kept[slot] = area }
            let references = kept.reduce(0, +)
            guard references <= limits.pixelsPerFrame else {
                throw .limitExceeded(.pixels, value: references, limit: limits.pixelsPerFrame)
            }
            shown += 1
            guard shown / Self.mostHidden <= max(limits.frames, 1) else {
                throw .limitExceeded(.frames, value: shown, limit: limits.frames)
            }
            if header.kind.isShown, header.duration > 0 || header.isLast { picture = 0 }
        }

        private mutating func note(_ header: JXLFrameHeader) {
            if header.isModular { hasModularFrames = true }
            if header.isBlended { hasBlendedFrames = true }
            let groups = header.groups
            groupCounts.formUnion([groups.pixels, groups.lowFrequency])
            heights.formUnion([header.size.height, (header.size.height + 7) / 8, header.size.width])
        }
    }
#endif
