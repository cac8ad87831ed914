import Alcedo

/// The Quite OK Image format: lossless, with a specification of one page (qoiformat.org).
enum QOI {
    private static let header = 14
    private static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    /// The state of encoder and decoder: the previous pixel and the table of 64 recent pixels by hash.
    private struct State {
        var last: SIMD4<UInt8> = [0, 0, 0, 255]
        var seen = [SIMD4<UInt8>](repeating: .zero, count: 64)

        static func index(of pixel: SIMD4<UInt8>) -> Int {
            (Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) % 64
        }

        mutating func update(_ pixel: SIMD4<UInt8>) {
            seen[Self.index(of: pixel)] = pixel
            last = pixel
        }
    }

    static func recognises(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("qoif".utf8)) }

    /// Decodes to RGBA; nil if the data is invalid, is truncated, or has more pixels than `limit`.
    static func decode(_ bytes: [UInt8], limit: Int) -> (pixels: [UInt8], size: PixelSize)? {
        guard recognises(bytes), bytes.count >= header + end.count else { return nil }
        let width = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        let height = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !overflows, count <= limit else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(count * 4)
        var state = State()
        var remaining = bytes[header...].dropLast(end.count)
        while pixels.count < count * 4 {
            guard let (pixel, run) = nextPixel(&remaining, state) else { return nil }
            state.update(pixel)
            for _ in 0..<min(run, count - pixels.count / 4) {
                pixels.append(contentsOf: [pixel.x, pixel.y, pixel.z, pixel.w])
            }
        }
        return (pixels, PixelSize(width: width, height: height))
    }

    private static func nextPixel(
        _ remaining: inout ArraySlice<UInt8>, _ state: State
    ) -> (SIMD4<UInt8>, Int)? {
        guard let tag = remaining.popFirst() else { return nil }
        var pixel = state.last
        switch tag {
        case 0xff, 0xfe:
            guard remaining.count >= (tag == 0xff ? 4 : 3) else { return nil }
            for channel in 0..<(tag == 0xff ? 4 : 3) { pixel[channel] = remaining.removeFirst() }
        case 0..<0x40:
            pixel = state.seen[Int(tag)]
        case 0x40..<0x80:
            for channel in 0..<3 { pixel[channel] &+= tag >> UInt8(4 - 2 * channel) & 3 &- 2 }
        case 0x80..<0xc0:
            guard let second = remaining.popFirst() else { return nil }
            let green = (tag & 63) &- 32
            pixel.x &+= green &- 8 &+ second >> 4
            pixel.y &+= green
            pixel.z &+= green &- 8 &+ second & 15
        default:
            return (pixel, Int(tag & 63) + 1)
        }
        return (pixel, 1)
    }

    /// Encodes RGBA pixels.
    static func encode(_ pixels: [UInt8], size: PixelSize) -> [UInt8] {
        var bytes = Array("qoif".utf8)
        for side in [size.width, size.height] {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: side >> shift)) }
        }
        bytes += [4, 0]
        var state = State()
        var run = 0
        for start in stride(from: 0, to: pixels.count, by: 4) {
            let pixel = SIMD4(pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3])
            if pixel == state.last {
                run += 1
                if run == 62 { bytes.append(0xc0 | UInt8(run - 1)); run = 0 }
                continue
            }
            if run > 0 { bytes.append(0xc0 | UInt8(run - 1)); run = 0 }
            append(pixel, to: &bytes, state)
            state.update(pixel)
        }
        if run > 0 { bytes.append(0xc0 | UInt8(run - 1)) }
        return bytes + end
    }

    private static func append(_ pixel: SIMD4<UInt8>, to bytes: inout [UInt8], _ state: State) {
        let index = State.index(of: pixel)
        if state.seen[index] == pixel { return bytes.append(UInt8(index)) }
        guard pixel.w == state.last.w else {
            bytes += [0xff, pixel.x, pixel.y, pixel.z, pixel.w]
            return
        }
        let step = pixel &- state.last
        let (red, green, blue) = (
            Int8(bitPattern: step.x), Int8(bitPattern: step.y), Int8(bitPattern: step.z)
        )
        let (redDelta, blueDelta) = (red &- green, blue &- green)
        if [red, green, blue].allSatisfy({ -2 <= $0 && $0 <= 1 }) {
            bytes.append(0x40 | UInt8(red + 2) << 4 | UInt8(green + 2) << 2 | UInt8(blue + 2))
        } else if -32 <= green, green <= 31, [redDelta, blueDelta].allSatisfy({ -8 <= $0 && $0 <= 7 }) {
            bytes += [0x80 | UInt8(green + 32), UInt8(redDelta + 8) << 4 | UInt8(blueDelta + 8)]
        } else {
            bytes += [0xfe, pixel.x, pixel.y, pixel.z]
        }
    }
}
