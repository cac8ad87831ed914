import AlcedoPixels

/// Makes a smaller picture of a bitmap row by row: a quick first step of a large reduction.
protocol RowReducer: AnyObject {
    /// Width and height of the smaller picture.
    var size: PixelSize { get }

    /// Writes row `row`; may write beyond it up to a multiple of 32 bytes.
    func write(row: Int, to output: UnsafeMutableRawPointer)
}
