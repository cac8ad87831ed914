import AlcedoPixels

/// The passes of an interlaced PNG (PNG, 8.2).
enum Adam7 {
    /// Where each pass starts, and its steps.
    private static let grids: [(x: Int, y: Int, across: Int, down: Int)] = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
        (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    /// The pixels of each pass that has some.
    static func passes(of bitmap: Bitmap) throws(CodecError) -> [Bitmap] {
        var passes: [Bitmap] = []
        for grid in grids where grid.x < bitmap.width && grid.y < bitmap.height {
            let size = PixelSize(
                width: (bitmap.width - grid.x + grid.across - 1) / grid.across,
                height: (bitmap.height - grid.y + grid.down - 1) / grid.down)
            var pass = try PixelBuilder(size: size, alpha: bitmap.alpha)
            pass.withUnsafeMutableBytes { output in
                bitmap.withUnsafeBytes { input in
                    let (target, source) = (
                        output.bindMemory(to: UInt32.self), input.bindMemory(to: UInt32.self)
                    )
                    for y in 0..<size.height {
                        let row = (grid.y + y * grid.down) * bitmap.width + grid.x
                        for x in 0..<size.width { target[y * size.width + x] = source[row + x * grid.across] }
                    }
                }
            }
            passes.append(pass.freeze())
        }
        return passes
    }
}
