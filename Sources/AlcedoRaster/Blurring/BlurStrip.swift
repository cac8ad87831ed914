/// Some columns of pixels, or as many rows, being filtered along their length within the processor's cache.
struct BlurStrip: ~Copyable {
    /// Pixels across.
    static let width = 32

    private static let bytesPerRow = width * 4

    private var pixels: UnsafeMutableRawPointer
    private var spare: UnsafeMutableRawPointer

    /// Makes room for `length` pixels along.
    init(length: Int) {
        let byteCount = length * Self.bytesPerRow
        pixels = .allocate(byteCount: byteCount, alignment: 64)
        spare = .allocate(byteCount: byteCount, alignment: 64)
        // The unused part of a narrower strip is filtered too, so it must be initialised.
        pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        spare.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit {
        pixels.deallocate()
        spare.deallocate()
    }

    // MARK: - Filtering

    /// Applies the box filter `passes` times.
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

    /// Filters 32 bytes of each row from `pixels` to `spare`; those before the first and after the last are like them.
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
            let entering = source + min(offset &+ reach &+ Self.bytesPerRow, last)
            let leaving = source + max(offset &- reach, 0)
            left.move(from: leaving, to: entering)
            right.move(from: leaving + 16, to: entering + 16)
            offset &+= Self.bytesPerRow
        }
    }

    // MARK: - Moving pixels in and out

    /// Takes columns of a bitmap.
    func load(_ source: UnsafeRawPointer, bytesPerRow: Int, columns: Int, rows: Int) {
        for y in 0..<rows {
            (pixels + y &* Self.bytesPerRow).copyMemory(
                from: source + y &* bytesPerRow, byteCount: columns &* 4)
        }
    }

    /// Gives columns back.
    func store(to target: UnsafeMutableRawPointer, bytesPerRow: Int, columns: Int, rows: Int) {
        for y in 0..<rows {
            (target + y &* bytesPerRow).copyMemory(
                from: pixels + y &* Self.bytesPerRow, byteCount: columns &* 4)
        }
    }

    /// Takes rows of a bitmap of `columns` pixels' width.
    func loadTransposed(_ source: UnsafeRawPointer, columns: Int, rows: Int) {
        Transposition(
            source: source.assumingMemoryBound(to: UInt32.self),
            columnStep: 1,
            rowStep: columns,
            target: pixels.assumingMemoryBound(to: UInt32.self),
            width: Self.width
        ).move(rows: 0..<columns, columns: 0..<rows)
    }

    /// Gives rows back.
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

/// Sums of sixteen bytes: of the first of every two, and of the second.
private struct SumPair<Sum: BoxSum> {
    private var even = Sum()
    private var odd = Sum()

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func add(_ place: UnsafeRawPointer) {
        let bytes = place.load(as: SIMD8<UInt16>.self)
        even.add(bytes & SIMD8(repeating: 0xFF))
        odd.add(bytes &>> SIMD8(repeating: 8))
    }

    @inline(__always)
    mutating func add(_ place: UnsafeRawPointer, times: Int) {
        let bytes = place.load(as: SIMD8<UInt16>.self)
        even.add(bytes & SIMD8(repeating: 0xFF), times: times)
        odd.add(bytes &>> SIMD8(repeating: 8), times: times)
    }

    @inline(__always)
    mutating func move(from leaving: UnsafeRawPointer, to entering: UnsafeRawPointer) {
        let old = leaving.load(as: SIMD8<UInt16>.self)
        let new = entering.load(as: SIMD8<UInt16>.self)
        even.replace(old & SIMD8(repeating: 0xFF), by: new & SIMD8(repeating: 0xFF))
        odd.replace(old &>> SIMD8(repeating: 8), by: new &>> SIMD8(repeating: 8))
    }

    @inline(__always)
    func store(to target: UnsafeMutableRawPointer, _ kernel: BoxKernel) {
        let bytes = even.average(kernel) | odd.average(kernel) &<< SIMD8(repeating: 8)
        target.storeBytes(of: bytes, as: SIMD8<UInt16>.self)
    }
}
