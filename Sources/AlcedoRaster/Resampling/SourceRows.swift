import AlcedoPixels

/// The rows that the filter reads: a bitmap's own, or averages of blocks of its pixels, made as they are
/// needed.
struct SourceRows: ~Copyable {
    /// Width and height after averaging; blocks at the right and lower borders may be smaller than the
    /// others.
    let size: PixelSize

    private let source: Bitmap
    private let averager: BlockAverager?
    private let ring: UnsafeMutableRawPointer?
    private let capacity: Int
    private var nextRow = 0

    /// Serves `source` in blocks of `columns` × `rows` pixels, of which the last `capacity` rows can be read.
    init(_ source: Bitmap, columns: Int, rows: Int, capacity: Int) {
        self.source = source
        self.capacity = capacity
        if columns == 1, rows == 1 {
            size = source.size
            averager = nil
            ring = nil
        } else {
            let averager = BlockAverager(source, columns: columns, rows: rows)
            size = averager.size
            ring = .allocate(byteCount: capacity * averager.size.width * 4, alignment: 64)
            self.averager = averager
        }
    }

    deinit { ring?.deallocate() }

    /// The address of row `y`, which must not be above the row of an earlier call by `capacity` or more.
    mutating func row(_ y: Int) -> UnsafeRawPointer {
        guard let averager, let ring else { return source.unsafeBaseAddress + y * source.bytesPerRow }
        while nextRow <= y {
            averager.write(row: nextRow, to: ring + nextRow % capacity * size.width * 4)
            nextRow += 1
        }
        return UnsafeRawPointer(ring + y % capacity * size.width * 4)
    }
}
