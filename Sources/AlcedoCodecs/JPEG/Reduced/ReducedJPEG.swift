import AlcedoPixels

/// Decodes a baseline JPEG to an eighth or a quarter of its size.
///
/// Skips the coefficients that the reduced size can't show, several at a time; entropy decoding takes most of the time.
/// See decision 0018.
struct ReducedJPEG: ~Copyable {
    private let scan: JPEGScan
    private let components: [ReducedComponent]
    private var window: JPEGWindow

    /// The samples of a row of MCUs, one component after the other.
    private let samples: UnsafeMutablePointer<UInt8>

    /// The size of an MCU in samples.
    private let mcu: PixelSize
    private let stride: Int

    /// The number of samples of one component in `samples`.
    private var area: Int { mcu.height * stride }

    /// Reads the header; nil unless `eighths` is 1 or 2 and the file is supported, see ``JPEGScan``.
    init?(_ bytes: UnsafeRawBufferPointer, eighths: Int) {
        guard eighths <= 2, let scan = JPEGScan(bytes.bytes) else { return nil }
        self.scan = scan
        window = JPEGWindow(bytes, from: scan.start)
        mcu = PixelSize(width: eighths * scan.across, height: eighths * scan.down)
        stride = scan.columns * mcu.width
        samples = .allocate(capacity: mcu.height * stride * scan.components.count)
        components = scan.components.map { component in
            ReducedComponent(
                component,
                block: ReducedBlock(
                    width: eighths * scan.across / component.across,
                    height: eighths * scan.down / component.down))
        }
    }

    deinit { samples.deallocate() }

    var size: PixelSize { scan.size }

    /// Decodes to `pixels`; false if the file is invalid or the deadline has passed.
    mutating func decode(to pixels: PixelRows, until deadline: Deadline) -> Bool {
        var bits = window.restart()
        for component in components { component.restart() }
        var left = scan.restartInterval
        for row in 0..<scan.rows {
            guard (try? deadline.check()) != nil else { return false }
            for column in 0..<scan.columns {
                if scan.restartInterval > 0 {
                    if left == 0 {
                        guard restart(&bits, after: row * scan.columns + column) else { return false }
                        for component in components { component.restart() }
                        left = scan.restartInterval
                    }
                    left -= 1
                }
                if bits.next > window.limit, !window.refill(&bits) { return false }
                guard decodeMCU(column, &bits) else { return false }
            }
            let top = row * mcu.height
            if top < pixels.size.height {
                convert(to: pixels.rows(top..<min(top + mcu.height, pixels.size.height)))
            }
        }
        // The end marker may be missing; all bits before it must be there.
        return window.isUsedUp(by: bits) && (window.marker == 0xD9 || window.marker == nil)
    }

    /// Whether all MCUs start before their segment's marker, so that at most the last one lacks bits.
    mutating func hasAllMCUs(until deadline: Deadline) -> Bool {
        var bits = window.restart()
        for component in components { component.restart() }
        for count in 0..<scan.rows * scan.columns {
            if count % scan.columns == 0, (try? deadline.check()) == nil { return false }
            if count > 0, scan.restartInterval > 0, count % scan.restartInterval == 0 {
                let number = (count / scan.restartInterval - 1) % 8
                guard window.isExhausted(by: bits), window.marker == 0xD0 + number else { return false }
                bits = window.restart()
                for component in components { component.restart() }
            }
            if bits.next > window.limit, !window.refill(&bits) { return false }
            guard window.hasMore(than: bits), decodeMCU(count % scan.columns, &bits) else { return false }
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

    private func decodeMCU(_ column: Int, _ bits: inout JPEGBits) -> Bool {
        // A local copy, which the compiler keeps in registers.
        var now = bits
        defer { bits = now }
        for index in components.indices {
            let component = components[index]
            var target = samples + index * area + column * mcu.width
            for _ in 0..<component.down {
                for x in 0..<component.across {
                    guard component.decode(&now, to: target + x * component.block.width, stride: stride)
                    else {
                        return false
                    }
                }
                target += component.block.height * stride
            }
        }
        return true
    }

    private func convert(to rows: PixelRows) {
        for y in 0..<rows.size.height {
            let luma = samples + y * stride
            let target = rows.base + y * rows.size.width
            if components.count == 3 {
                YCbCr.convert(luma, luma + area, luma + 2 * area, to: target, count: rows.size.width)
            } else {
                for x in 0..<rows.size.width { target[x] = 0xFF00_0000 | UInt32(luma[x]) * 0x10101 }
            }
        }
    }
}
