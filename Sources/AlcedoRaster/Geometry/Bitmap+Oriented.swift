public import AlcedoPixels

extension Bitmap {
    /// Rotates and mirrors pixels stored in `orientation` upright; returns `self` for ``ImageOrientation/up``.
    ///
    /// Accepts every kind of alpha and keeps it; a deep bitmap stays deep.
    ///
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public func oriented(_ orientation: ImageOrientation) throws(CodecError) -> Bitmap {
        if orientation == .up { return self }
        var result = try PixelBuilder(size: orientation.upright(size), alpha: alpha, deep: deep)
        result.withUnsafeMutableBytes { output in
            if isDeep {
                turn(to: output.bindMemory(to: UInt64.self), orientation)
            } else {
                turn(to: output.bindMemory(to: UInt32.self), orientation)
            }
        }
        return result.freeze()
    }

    /// `Pixel` is as large as a pixel in memory.
    private func turn<Pixel: SIMDScalar>(
        to output: UnsafeMutableBufferPointer<Pixel>, _ orientation: ImageOrientation
    ) {
        guard let target = output.baseAddress,
            let source = storage.bindMemory(to: Pixel.self).baseAddress
        else { return }
        if orientation.swapsSides {
            transpose(source, to: target, orientation: orientation)
        } else {
            flip(source, to: target, orientation: orientation)
        }
    }

    /// Copies rows, reversing their order, their pixels or both.
    private func flip<Pixel>(
        _ source: UnsafePointer<Pixel>,
        to target: UnsafeMutablePointer<Pixel>,
        orientation: ImageOrientation
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

    /// Transposes in blocks of 32 × 32 pixels, which fit the L1 cache.
    private func transpose<Pixel: SIMDScalar>(
        _ source: UnsafePointer<Pixel>,
        to target: UnsafeMutablePointer<Pixel>,
        orientation: ImageOrientation
    ) {
        let isLastColumnFirst = orientation == .left || orientation == .rightMirrored
        let isLastRowFirst = orientation == .right || orientation == .rightMirrored
        let firstColumn = isLastColumnFirst ? width - 1 : 0
        let firstRow = isLastRowFirst ? height - 1 : 0
        let transposition = Transposition(
            source: source + firstRow * width + firstColumn,
            columnStep: isLastColumnFirst ? -1 : 1,
            rowStep: isLastRowFirst ? -width : width,
            target: target,
            width: height
        )
        // Two blocks of 4 KiB, or of 8, which stay in the processor's first cache.
        let side = 32
        for block in stride(from: 0, to: width, by: side) {
            let end = min(block + side, width)
            // Left to right in the source, so that the hardware prefetches it.
            let rows = isLastColumnFirst ? width - end..<width - block : block..<end
            for left in stride(from: 0, to: height, by: side) {
                transposition.move(rows: rows, columns: left..<min(left + side, height))
            }
        }
    }
}
