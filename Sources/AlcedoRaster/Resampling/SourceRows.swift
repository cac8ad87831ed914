import AlcedoPixels

/// The rows that the filter reads: a bitmap's own, or those of a smaller picture, made as they are needed.
struct SourceRows: ~Copyable {
    /// Width and height of the rows' image.
    let size: PixelSize

    private let source: Bitmap
    private let reducer: (any RowReducer)?
    private let ring: UnsafeMutableRawPointer?
    private let capacity: Int
    private let bytesPerRow: Int
    private var nextRow = 0

    /// Provides the rows of `source`, reduced by `reducer` if there is one; the last `capacity` rows can be read.
    init(_ source: Bitmap, reducer: (any RowReducer)?, capacity: Int) {
        self.source = source
        self.reducer = reducer
        self.capacity = capacity
        size = reducer?.size ?? source.size
        bytesPerRow = (size.width * 4 + 31) / 32 * 32
        ring = reducer == nil ? nil : .allocate(byteCount: capacity * bytesPerRow, alignment: 64)
    }

    deinit { ring?.deallocate() }

    /// The address of row `y`, which must not be above the row of an earlier call by `capacity` or more.
    mutating func row(_ y: Int) -> UnsafeRawPointer {
        guard let reducer, let ring else { return source.unsafeBaseAddress + y * source.bytesPerRow }
        while nextRow <= y {
            reducer.write(row: nextRow, to: ring + nextRow % capacity * bytesPerRow)
            nextRow += 1
        }
        return UnsafeRawPointer(ring + y % capacity * bytesPerRow)
    }
}
