#if JXL
    import AlcedoPixels
    import CJxl

    /// The fields of a frame header that determine the work of decoding it (ISO/IEC 18181-1, F.2).
    struct JXLFrameHeader {
        /// The frame type; raw values are those of the format.
        enum Kind: Int {
            case regular, lowFrequency, referenceOnly, skipProgressive

            var isShown: Bool { self == .regular || self == .skipProgressive }
        }

        private(set) var kind = Kind.regular
        /// The frame's own size, which may be larger than the canvas.
        private(set) var size: PixelSize
        private(set) var duration = 0
        private(set) var isLast = true
        /// Where it is kept for others to refer to; nil if it is not.
        private(set) var slot: Int?
        /// Whether pixels are coded without a transform to frequencies, as in lossless images.
        private(set) var isModular = false
        /// Whether libjxl composes it with an earlier frame or an empty canvas.
        private(set) var isBlended = false

        private var isLuma = false
        private var flags: UInt64 = 0
        private var upsampling = 1
        private var groupShift = 1
        private var passes = 1
        private var level = 0
        /// How often chroma halves, to the right and down.
        private var shift = (x: 0, y: 0)
        private var isPartial = false
        private var replaces = true

        private static let usesLowFrequencyFrame: UInt64 = 0x20

        /// Reads a frame header; `info` has the sides as stored, and `canvas` is the size of a frame without its own.
        init(_ bits: inout JXLBits, _ info: JxlBasicInfo, canvas: PixelSize) throws(CodecError) {
            size = canvas
            if try bits.bool() { return }
            kind = Kind(rawValue: try bits.u(2)) ?? .regular
            isModular = try bits.bool()
            flags = try bits.u64()
            try readSampling(&bits, info)
            if kind != .referenceOnly { try readPasses(&bits) }
            if kind == .lowFrequency { level = try bits.u(2) + 1 } else { try readCrop(&bits, canvas) }
            if kind.isShown {
                try readBlending(&bits, info)
                isLast = try bits.bool()
            } else {
                isLast = false
            }
            if kind != .lowFrequency, !isLast { slot = try bits.u(2) }
            // Slot 0 is that of layers: a frame with a duration is not kept there.
            if kind.isShown, duration > 0, slot == 0 { slot = nil }
            let mayPrecedeTransform = kind.isShown && slot != nil && replaces && !isPartial
            if kind == .referenceOnly || mayPrecedeTransform { _ = try bits.bool() }
            let nameLength = try bits.u32((0, 0), (0, 4), (16, 5), (48, 10))
            try bits.skip(nameLength * 8)
            try readFilters(&bits)
            try Self.skipExtensions(&bits)
        }

        // MARK: - Fields

        private mutating func readSampling(_ bits: inout JXLBits, _ info: JxlBasicInfo) throws(CodecError) {
            let isXYB = info.uses_original_profile == 0
            let isLowFrequencyElsewhere = flags & Self.usesLowFrequencyFrame != 0
            if !isXYB, try bits.bool(), !isLowFrequencyElsewhere {
                for _ in 0..<3 {
                    let mode = try bits.u(2)
                    if mode == 1 || mode == 2 { shift.x = 1 }
                    if mode == 1 || mode == 3 { shift.y = 1 }
                }
            }
            if !isLowFrequencyElsewhere {
                upsampling = 1 << (try bits.u(2))
                for _ in 0..<info.num_extra_channels { _ = try bits.u(2) }
            }
            if isModular { groupShift = try bits.u(2) } else if isXYB { _ = try bits.u(6) }
        }

        private mutating func readPasses(_ bits: inout JXLBits) throws(CodecError) {
            passes = try bits.u32((1, 0), (2, 0), (3, 0), (4, 3))
            guard passes > 1 else { return }
            let reduced = try bits.u32((0, 0), (1, 0), (2, 0), (3, 1))
            try bits.skip(2 * (passes - 1) + 2 * reduced)
            for _ in 0..<reduced { _ = try bits.u32((0, 0), (1, 0), (2, 0), (0, 3)) }
        }

        private mutating func readCrop(_ bits: inout JXLBits, _ canvas: PixelSize) throws(CodecError) {
            guard try bits.bool() else { return }
            isBlended = kind.isShown
            var origin = (x: 0, y: 0)
            if kind.isShown {
                origin.x = Self.signed(try Self.side(&bits))
                origin.y = Self.signed(try Self.side(&bits))
            }
            size = PixelSize(width: try Self.side(&bits), height: try Self.side(&bits))
            isPartial =
                kind.isShown
                && (origin.x > 0 || origin.y > 0 || origin.x + size.width < canvas.width
                    || origin.y + size.height < canvas.height)
        }

        private mutating func readBlending(_ bits: inout JXLBits, _ info: JxlBasicInfo) throws(CodecError) {
            for channel in 0...Int(info.num_extra_channels) {
                let mode = try bits.u32((0, 0), (1, 0), (2, 0), (3, 2))
                let usesAlpha = info.num_extra_channels > 0 && (mode == 2 || mode == 3)
                if usesAlpha { _ = try bits.u32((0, 0), (1, 0), (2, 0), (3, 3)) }
                if usesAlpha || mode == 4 { _ = try bits.bool() }
                if mode != 0 || isPartial { _ = try bits.u(2) }
                if channel == 0 { replaces = mode == 0 }
                if mode != 0 { isBlended = true }
            }
            guard info.have_animation != 0 else { return }
            duration = try bits.u32((0, 0), (1, 0), (0, 8), (0, 32))
            if info.animation.have_timecodes != 0 { try bits.skip(32) }
        }

        private func readFilters(_ bits: inout JXLBits) throws(CodecError) {
            if try bits.bool() { return }
            if try bits.bool(), try bits.bool() { try bits.skip(6 * 16) }
            if try bits.u(2) > 0 {
                if !isModular, try bits.bool() { try bits.skip(8 * 16) }
                if try bits.bool() { try bits.skip(5 * 16) }
                if try bits.bool() { try bits.skip((isModular ? 3 : 4) * 16) }
                if isModular { try bits.skip(16) }
            }
            try Self.skipExtensions(&bits)
        }

        private static func skipExtensions(_ bits: inout JXLBits) throws(CodecError) {
            let extensions = try bits.u64()
            var length = 0
            for _ in 0..<extensions.nonzeroBitCount { length += Int(min(try bits.u64(), 1 << 40)) }
            try bits.skip(length)
        }

        private static func side(_ bits: inout JXLBits) throws(CodecError) -> Int {
            try bits.u32((0, 8), (256, 11), (2304, 14), (18688, 30))
        }

        /// Zero, minus one, one, minus two, ...
        private static func signed(_ number: Int) -> Int { number & 1 == 0 ? number / 2 : -(number + 1) / 2 }
    }

    // MARK: - Groups

    extension JXLFrameHeader {
        /// Groups of pixels, and groups of low frequencies, of which libjxl decodes one at a time.
        var groups: (pixels: Int, lowFrequency: Int) {
            let side = 128 << groupShift
            func parts(_ length: Int, _ size: Int) -> Int { (length + size - 1) / size }
            func sides(_ length: Int, _ shift: Int) -> (Int, Int) {
                let coded = parts(parts(length, 1 << (3 * level)), upsampling)
                let blocks = parts(coded, 8 << shift) << shift
                return (parts(coded, side), parts(blocks, side))
            }
            let (across, down) = (sides(size.width, shift.x), sides(size.height, shift.y))
            return (across.0 * down.0, across.1 * down.1)
        }

        /// Parts in which the frame is stored.
        var sections: Int {
            let (pixels, lowFrequency) = groups
            return pixels == 1 && passes == 1 ? 1 : 2 + lowFrequency + pixels * passes
        }
    }
#endif
