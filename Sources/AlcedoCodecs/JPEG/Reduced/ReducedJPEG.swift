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
        for part in parts { part.restart() }
        var left = scan.restartInterval
        for row in 0..<scan.rows {
            guard (try? deadline.check()) != nil else { return false }
            for column in 0..<scan.columns {
                if scan.restartInterval > 0 {
                    if left == 0 {
                        guard restart(&bits, after: row * scan.columns + column) else { return false }
                        for part in parts { part.restart() }
                        left = scan.restartInterval
                    }
                    left -= 1
                }
                if bits.next > window.limit, !window.refill(&bits) { return false }
                guard decodeUnit(column, &bits) else { return false }
            }
            let top = row * unit.height
            if top < pixels.size.height {
                convert(to: pixels.rows(top..<min(top + unit.height, pixels.size.height)))
            }
        }
        // The end marker may be missing, but not a bit before it.
        return window.isUsedUp(by: bits) && (window.marker == 0xD9 || window.marker == nil)
    }

    /// Whether all MCUs start before their segment's marker, so that at most the last one lacks bits.
    mutating func hasAllUnits(until deadline: Deadline) -> Bool {
        var bits = window.restart()
        for part in parts { part.restart() }
        for count in 0..<scan.rows * scan.columns {
            if count % scan.columns == 0, (try? deadline.check()) == nil { return false }
            if count > 0, scan.restartInterval > 0, count % scan.restartInterval == 0 {
                let number = (count / scan.restartInterval - 1) % 8
                guard window.isExhausted(by: bits), window.marker == 0xD0 + number else { return false }
                bits = window.restart()
                for part in parts { part.restart() }
            }
            if bits.next > window.limit, !window.refill(&bits) { return false }
            guard window.hasMore(than: bits), decodeUnit(count % scan.columns, &bits) else { return false }
        }
        return window.isExhausted(by: bits) && window.marker == 0xD9
    }

    /// Continues after the restart marker that follows `count` MCUs.
    private mutating func restart(_ bits: inout JPEGBits, after count: Int) -> Bool {
        let number = (count / scan.restartInterval - 1) % 8
        guard window.isUsedUp(by: bits), window.marker == 0xD0 + number else { return false }
        bits = window.restart()
        return true
    }

    /// Decodes the blocks of an MCU.
    private func decodeUnit(_ column: Int, _ bits: inout JPEGBits) -> Bool {
        // A copy, so that the compiler keeps it in registers.
        var now = bits
        defer { bits = now }
        for index in parts.indices {
            let part = parts[index]
            var target = samples + index * area + column * unit.width
            for _ in 0..<part.down {
                for x in 0..<part.across {
                    guard part.decode(&now, to: target + x * part.block.width, stride: stride) else {
                        return false
                    }
                }
                target += part.block.height * stride
            }
        }
        return true
    }

    /// Turns samples into pixels.
    private func convert(to rows: PixelRows) {
        for y in 0..<rows.size.height {
            let luma = samples + y * stride
            let target = rows.base + y * rows.size.width
            if parts.count == 3 {
                YCbCr.convert(luma, luma + area, luma + 2 * area, to: target, count: rows.size.width)
            } else {
                for x in 0..<rows.size.width { target[x] = 0xFF00_0000 | UInt32(luma[x]) * 0x10101 }
            }
        }
    }
}
