/// Writes the headers of code streams, without any pixels (ISO/IEC 18181-1, annexes D and F).
struct JXLBuilder {
    private var current = 0
    private var filled = 0
    private(set) var bytes: [UInt8] = [0xFF, 0x0A]

    /// A square canvas of a still picture or an animation, all else as by default.
    init(side: Int, isAnimated: Bool = false) {
        put((0, 1), (3, 2), (side - 1, 30), (1, 3))
        if isAnimated {
            // Extra fields: an animation of 100 ticks a second, for ever.
            put((0, 1), (1, 1), (0, 3), (0, 1), (0, 1), (1, 1), (0, 2), (0, 2), (0, 2), (0, 1))
            // 8 bits in integers, no further channels, XYB, sRGB, no tone mapping, no extensions.
            put((0, 1), (0, 2), (1, 1), (0, 2), (1, 1), (1, 1), (1, 1), (0, 2))
        } else {
            put((1, 1))
        }
        put((1, 1))
        align()
    }

    /// What a frame is for.
    enum Kind: Int {
        case regular = 0
        case referenceOnly = 2
    }

    /// A frame of `side` pixels across and down, whose `sections` are empty.
    mutating func frame(
        _ kind: Kind = .regular,
        side: Int,
        canvas: Int,
        duration: Int? = nil,
        isLast: Bool = false,
        slot: Int = 0,
        isPermuted: Bool = false,
        sections: Int = 1
    ) {
        // Its kind, variable-size transforms, no flags, no upsampling, scales of quantisation.
        put((0, 1), (kind.rawValue, 2), (0, 1), (0, 2), (0, 2), (3, 3), (2, 3))
        if kind != .referenceOnly { put((0, 2)) }
        put((1, 1))
        if kind == .regular { put((0, 2), (0, 8), (0, 2), (0, 8)) }
        for _ in 0..<2 { put((3, 2), (side - 18688, 30)) }
        if kind == .regular {
            put((0, 2))
            if side < canvas { put((0, 2)) }
            if let duration { put((2, 2), (duration, 8)) }
            put((isLast ? 1 : 0, 1))
        }
        if !isLast { put((slot, 2)) }
        let mayBeKept = !isLast && (slot != 0 || (duration ?? 0) == 0) && side >= canvas
        if kind == .referenceOnly || mayBeKept { put((0, 1)) }
        // No name, filters as by default, no extensions.
        put((0, 2), (1, 1), (0, 2))
        put((isPermuted ? 1 : 0, 1))
        align()
        for _ in 0..<sections { put((0, 2), (0, 10)) }
        align()
    }

    /// As a file of boxes, with the code stream in `parts`.
    func boxes(parts: Int) -> [UInt8] {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let count = content.count + 8
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(name.utf8)
                + content
        }
        let size = (bytes.count + parts - 1) / parts
        let content = (0..<parts).flatMap { part in
            let start = part * size
            let last: UInt8 = part == parts - 1 ? 0x80 : 0
            let piece = bytes[start..<min(start + size, bytes.count)]
            return box("jxlp", [last, 0, 0, UInt8(part)] + piece)
        }
        return box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            + content
    }

    private mutating func put(_ fields: (value: Int, bits: Int)...) {
        for field in fields {
            for bit in 0..<field.bits {
                current |= (field.value >> bit & 1) << filled
                filled += 1
                if filled == 8 { flush() }
            }
        }
    }

    private mutating func align() { if filled > 0 { flush() } }

    private mutating func flush() {
        bytes.append(UInt8(current))
        (current, filled) = (0, 0)
    }
}
