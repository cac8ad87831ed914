import AlcedoPixels

/// Decodes a baseline JPEG to an eighth or a quarter of its size.
///
/// Coefficients that so few pixels can't show are skipped in the entropy-coded bytes, several at a time; that is where
/// almost all of the time goes. See decision 0018.
struct ReducedJPEG: ~Copyable {
    private let scan: JPEGScan
    private let parts: [ReducedComponent]
    private var window: JPEGWindow

    /// Those of a row of MCUs, one component after the other.
    private let samples: UnsafeMutablePointer<UInt8>

    /// Samples of an MCU.
    private let unit: PixelSize
    private let stride: Int

    /// Samples of one component.
    private var area: Int { unit.height * stride }

    /// Nil unless it can be done to so many eighths, and `bytes` are of the common kind.
    init?(_ bytes: UnsafeRawBufferPointer, eighths: Int) {
        guard eighths <= 2, let scan = JPEGScan(bytes.bytes) else { return nil }
        self.scan = scan
        window = JPEGWindow(bytes, from: scan.start)
        unit = PixelSize(width: eighths * scan.across, height: eighths * scan.down)
        stride = scan.columns * unit.width
        samples = .allocate(capacity: unit.height * stride * scan.components.count)
        parts = scan.components.map { component in
            ReducedComponent(
                component,
                block: ReducedBlock(
                    width: eighths * scan.across / component.across,
                    height: eighths * scan.down / component.down))
        }
    }

    deinit { samples.deallocate() }

    /// The size of the whole picture, not reduced.
    var size: PixelSize { scan.size }

    /// Fills `pixels`; false if a byte of the file is not as it has to be, or it takes too long.
    mutating func decode(to pixels: PixelRows, until deadline: Deadline) -> Bool {
        var bits = window.restart()
        var predictions = SIMD4<Int32>(repeating: 0)
        var left = scan.restartInterval
        for row in 0..<scan.rows {
            guard (try? deadline.check()) != nil else { return false }
            for column in 0..<scan.columns {
                if scan.restartInterval > 0 {
                    if left == 0 {
                        guard restart(&bits, after: row * scan.columns + column) else { return false }
                        predictions = SIMD4(repeating: 0)
                        left = scan.restartInterval
                    }
                    left -= 1
                }
                if bits.next > window.limit, !window.refill(&bits) { return false }
                guard decodeUnit(column, &bits, &predictions) else { return false }
            }
            let top = row * unit.height
            if top < pixels.size.height {
                convert(to: pixels.rows(top..<min(top + unit.height, pixels.size.height)))
            }
        }
        return window.isUsedUp(by: bits) && window.marker == 0xD9
    }

    /// Goes on behind the marker that must come after `count` MCUs.
    private mutating func restart(_ bits: inout JPEGBits, after count: Int) -> Bool {
        let number = (count / scan.restartInterval - 1) % 8
        guard window.isUsedUp(by: bits), window.marker == 0xD0 + number else { return false }
        bits = window.restart()
        return true
    }

    /// Decodes the blocks of an MCU.
    private func decodeUnit(
        _ column: Int,
        _ bits: inout JPEGBits,
        _ predictions: inout SIMD4<Int32>
    ) -> Bool {
        // A copy, so that the compiler keeps it in registers.
        var now = bits
        defer { bits = now }
        for index in parts.indices {
            let part = parts[index]
            let corner = samples + index * area + column * unit.width
            for block in 0..<part.across * part.down {
                let (y, x) = block.quotientAndRemainder(dividingBy: part.across)
                let target = corner + y * part.block.height * stride + x * part.block.width
                guard part.decode(&now, &predictions[index], to: target, stride: stride) else {
                    return false
                }
            }
        }
        return true
    }

    /// Turns samples into pixels (JFIF 1.02).
    private func convert(to rows: PixelRows) {
        for y in 0..<rows.size.height {
            let luma = samples + y * stride
            let target = rows.base + y * rows.size.width
            guard parts.count == 3 else {
                for x in 0..<rows.size.width { target[x] = 0xFF00_0000 | UInt32(luma[x]) * 0x10101 }
                continue
            }
            let (blues, reds) = (luma + area, luma + 2 * area)
            for x in 0..<rows.size.width {
                let (light, blue, red) = (Int32(luma[x]), Int32(blues[x]) - 128, Int32(reds[x]) - 128)
                let b = light &+ (116130 &* blue &+ 32768) &>> 16
                let g = light &+ (-22554 &* blue &- 46802 &* red &+ 32768) &>> 16
                let r = light &+ (91881 &* red &+ 32768) &>> 16
                target[x] = 0xFF00_0000 | Self.byte(r) << 16 | Self.byte(g) << 8 | Self.byte(b)
            }
        }
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: max(0, min(255, value))) }
}
