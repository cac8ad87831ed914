import AlcedoPixels

/// The rows that the filter reads: a provider's rows, or reduced rows in a ring buffer that is filled on demand.
struct SourceRows: ~Copyable {
    /// The size of the image, or the reduced size.
    let size: PixelSize

    private let source: any RowProvider
    private let reducer: (any RowReducer)?
    private let ring: UnsafeMutableRawPointer?
    private let capacity: Int
    private let bytesPerRow: Int
    private var nextRow = 0

    /// Reads `source`, or the last `capacity` rows of `reducer` if there is one.
    init(_ source: any RowProvider, reducer: (any RowReducer)?, capacity: Int) {
        self.source = source
        self.reducer = reducer
        self.capacity = capacity
        size = reducer?.size ?? source.size
        bytesPerRow = (size.width * 4 + 31) / 32 * 32
        ring = reducer == nil ? nil : .allocate(byteCount: capacity * bytesPerRow, alignment: 64)
    }

    deinit { ring?.deallocate() }

    /// The address of row `y`, which must be greater than the last row read so far minus `capacity`.
    mutating func row(_ y: Int) -> UnsafeRawPointer {
        guard let reducer, let ring else { return source.row(y) }
        while nextRow <= y {
            reducer.write(row: nextRow, to: ring + nextRow % capacity * bytesPerRow)
            nextRow += 1
        }
        return UnsafeRawPointer(ring + y % capacity * bytesPerRow)
    }
}

/// Reduces a bitmap row by row, as a fast first step of a large reduction.
protocol RowReducer: AnyObject {
    var size: PixelSize { get }

    /// Writes row `row`; may overwrite `output` up to the next multiple of 32 bytes.
    func write(row: Int, to output: UnsafeMutableRawPointer)
}
