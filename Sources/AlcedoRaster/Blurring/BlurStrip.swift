/// 32 columns or rows of pixels, filtered along their length in a buffer that fits the processor's cache.
struct BlurStrip: ~Copyable {
    /// Pixels across the strip.
    static let width = 32

    private static let bytesPerRow = width * 4

    private var pixels: UnsafeMutableRawPointer
    private var spare: UnsafeMutableRawPointer

    init(length: Int) {
        let byteCount = length * Self.bytesPerRow
        pixels = .allocate(byteCount: byteCount, alignment: 64)
        spare = .allocate(byteCount: byteCount, alignment: 64)
        // The unused columns of a narrower strip are filtered too, so they must be initialized.
        pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        spare.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit {
        pixels.deallocate()
        spare.deallocate()
    }

    // MARK: - Filtering

    mutating func blur(_ kernel: BoxKernel, passes: Int, length: Int) {
        for _ in 0..<passes {
            for part in stride(from: 0, to: Self.bytesPerRow, by: 32) {
                if kernel.isNarrow {
                    pass(kernel, length: length, part: part, NarrowBoxSum.self)
                } else {
                    pass(kernel, length: length, part: part, WideBoxSum.self)
                }
            }
            swap(&pixels, &spare)
        }
    }

    /// Filters 32 bytes of each row from `pixels` to `spare`; the first and last row are repeated outwards.
    @inline(__always)
    private func pass<Sum: BoxSum>(_ kernel: BoxKernel, length: Int, part: Int, _: Sum.Type) {
        let source = pixels + part
        let target = spare + part
        let last = (length &- 1) &* Self.bytesPerRow
        let reach = kernel.reach &* Self.bytesPerRow
        var left = SumPair<Sum>()
        var right = SumPair<Sum>()
        left.add(source, times: kernel.reach &+ 1)
        right.add(source + 16, times: kernel.reach &+ 1)
        var ahead = Self.bytesPerRow
        while ahead <= min(reach, last) {
            left.add(source + ahead)
            right.add(source + ahead + 16)
            ahead &+= Self.bytesPerRow
        }
        let missing = max(0, kernel.reach &- length &+ 1)
        left.add(source + last, times: missing)
        right.add(source + last + 16, times: missing)
        var offset = 0
        while offset <= last {
            left.store(to: target + offset, kernel)
            right.store(to: target + offset + 16, kernel)
            let incoming = source + min(offset &+ reach &+ Self.bytesPerRow, last)
            let outgoing = source + max(offset &- reach, 0)
            left.move(from: outgoing, to: incoming)
            right.move(from: outgoing + 16, to: incoming + 16)
            offset &+= Self.bytesPerRow
        }
    }

    // MARK: - Loading and storing pixels

    /// Copies columns of a bitmap into the strip.
    func load(_ source: UnsafeRawPointer, bytesPerRow: Int, columns: Int, rows: Int) {
        for y in 0..<rows {
            (pixels + y &* Self.bytesPerRow).copyMemory(
                from: source + y &* bytesPerRow, byteCount: columns &* 4)
        }
    }

    /// Copies the strip into columns of a bitmap.
    func store(to target: UnsafeMutableRawPointer, bytesPerRow: Int, columns: Int, rows: Int) {
        for y in 0..<rows {
            (target + y &* bytesPerRow).copyMemory(
                from: pixels + y &* Self.bytesPerRow, byteCount: columns &* 4)
        }
    }

    /// Copies rows of a bitmap, `columns` pixels wide, into the strip.
    func loadTransposed(_ source: UnsafeRawPointer, columns: Int, rows: Int) {
        Transposition(
            source: source.assumingMemoryBound(to: UInt32.self),
            columnStep: 1,
            rowStep: columns,
            target: pixels.assumingMemoryBound(to: UInt32.self),
            width: Self.width
        ).move(rows: 0..<columns, columns: 0..<rows)
    }

    /// Copies the strip into rows of a bitmap.
    func storeTransposed(to target: UnsafeMutableRawPointer, columns: Int, rows: Int) {
        Transposition(
            source: UnsafePointer(pixels.assumingMemoryBound(to: UInt32.self)),
            columnStep: 1,
            rowStep: Self.width,
            target: target.assumingMemoryBound(to: UInt32.self),
            width: columns
        ).move(rows: 0..<rows, columns: 0..<columns)
    }
}

/// Running sums of sixteen bytes, the even and the odd ones apart.
private struct SumPair<Sum: BoxSum> {
    private var even = Sum()
    private var odd = Sum()

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func add(_ pointer: UnsafeRawPointer) {
        let bytes = pointer.load(as: SIMD8<UInt16>.self)
        even.add(bytes & SIMD8(repeating: 0xFF))
        odd.add(bytes &>> SIMD8(repeating: 8))
    }

    @inline(__always)
    mutating func add(_ pointer: UnsafeRawPointer, times: Int) {
        let bytes = pointer.load(as: SIMD8<UInt16>.self)
        even.add(bytes & SIMD8(repeating: 0xFF), times: times)
        odd.add(bytes &>> SIMD8(repeating: 8), times: times)
    }

    @inline(__always)
    mutating func move(from outgoing: UnsafeRawPointer, to incoming: UnsafeRawPointer) {
        let old = outgoing.load(as: SIMD8<UInt16>.self)
        let new = incoming.load(as: SIMD8<UInt16>.self)
        even.replace(old & SIMD8(repeating: 0xFF), by: new & SIMD8(repeating: 0xFF))
        odd.replace(old &>> SIMD8(repeating: 8), by: new &>> SIMD8(repeating: 8))
    }

    @inline(__always)
    func store(to target: UnsafeMutableRawPointer, _ kernel: BoxKernel) {
        let bytes = even.average(kernel) | odd.average(kernel) &<< SIMD8(repeating: 8)
        target.storeBytes(of: bytes, as: SIMD8<UInt16>.self)
    }
}
