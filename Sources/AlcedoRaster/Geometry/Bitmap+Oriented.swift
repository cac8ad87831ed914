public import AlcedoPixels

extension Bitmap {
    /// The picture upright, given that its pixels are stored as `orientation` says; `self` for
    /// ``Orientation/up``.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public func oriented(_ orientation: Orientation) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be turned")
        if orientation == .up { return self }
        var result = try PixelBuilder(size: orientation.upright(size), alpha: alpha)
        result.withUnsafeMutableBytes { output in
            guard let target = output.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
            let source = unsafeBaseAddress.assumingMemoryBound(to: UInt32.self)
            if orientation.swapsSides {
                transpose(source, to: target, orientation: orientation)
            } else {
                flip(source, to: target, orientation: orientation)
            }
        }
        return result.freeze()
    }

    /// Writes the rows in the same or the opposite order, each forwards or backwards.
    private func flip(
        _ source: UnsafePointer<UInt32>,
        to target: UnsafeMutablePointer<UInt32>,
        orientation: Orientation
    ) {
        let width = width
        for y in 0..<height {
            let row = source + (orientation == .upMirrored ? y : height - 1 - y) * width
            let output = target + y * width
            if orientation == .downMirrored {
                output.update(from: row, count: width)
            } else {
                for x in 0..<width { output[x] = row[width &- 1 &- x] }
            }
        }
    }

    /// Writes columns as rows, block by block, so that both sides of a block stay in the fastest cache.
    private func transpose(
        _ source: UnsafePointer<UInt32>,
        to target: UnsafeMutablePointer<UInt32>,
        orientation: Orientation
    ) {
        let width = width
        let height = height
        let isLastColumnFirst = orientation == .left || orientation == .rightMirrored
        let isLastRowFirst = orientation == .right || orientation == .rightMirrored
        let firstColumn = isLastColumnFirst ? width - 1 : 0
        let columnStep = isLastColumnFirst ? -1 : 1
        let firstRow = isLastRowFirst ? (height - 1) * width : 0
        let rowStep = isLastRowFirst ? -width : width
        let side = 32

        for top in stride(from: 0, to: width, by: side) {
            for left in stride(from: 0, to: height, by: side) {
                for y in top..<min(top + side, width) {
                    let column = source + firstRow + firstColumn + y &* columnStep
                    let output = target + y &* height
                    for x in left..<min(left + side, height) { output[x] = column[x &* rowStep] }
                }
            }
        }
    }
}
