import AlcedoPixels

/// Reduces a bitmap row by row, as a fast first step of a large reduction.
protocol RowReducer: AnyObject {
    var size: PixelSize { get }

    /// Writes row `row`; may overwrite `output` up to the next multiple of 32 bytes.
    func write(row: Int, to output: UnsafeMutableRawPointer)
}
