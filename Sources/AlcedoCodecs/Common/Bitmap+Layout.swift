public import AlcedoPixels

extension Bitmap {
    /// Copies pixels of another library; straight ones are premultiplied.
    ///
    /// - Parameters:
    ///   - pixels: the bytes; the last row may be shorter than `bytesPerRow`.
    ///   - size: width and height in pixels.
    ///   - layout: the channel order and alpha of the bytes.
    ///   - bytesPerRow: the stride; nil for `width * 4`.
    /// - Returns: opaque or premultiplied pixels.
    /// - Throws: ``CodecError`` if the size is invalid, there are too few bytes, or memory runs out.
    public static func copy(
        of pixels: RawSpan,
        size: PixelSize,
        layout: PixelLayout,
        bytesPerRow: Int? = nil
    ) throws(CodecError) -> Bitmap {
        let stride = bytesPerRow ?? size.width * 4
        let (reach, overflow) = stride.multipliedReportingOverflow(by: max(0, size.height - 1))
        let rowBytes = size.width * 4
        guard !size.isEmpty, stride >= rowBytes, !overflow, reach <= pixels.byteCount - rowBytes else {
            throw .limitExceeded(.encodedBytes, value: size.area, limit: pixels.byteCount / 4)
        }
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        builder.alpha = builder.withUnsafeMutableBytes { output in
            pixels.withUnsafeBytes { input in
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                for y in 0..<size.height {
                    (to + y * rowBytes).copyMemory(from: from + y * stride, byteCount: rowBytes)
                }
            }
            let rows = PixelRows(output, size)
            let swaps = layout.order == .rgba
            if layout.alpha == .straight {
                return rows.premultiply(swapping: swaps) ? .opaque : .premultiplied
            }
            if swaps { rows.swapRedAndBlue() }
            if layout.alpha == .opaque { rows.makeOpaque() }
            return layout.alpha
        }
        return builder.freeze()
    }

    /// The pixels in another layout, in rows of `width * 4` bytes.
    ///
    /// Converting premultiplied to straight colours is exact only where alpha is 255.
    public func bytes(in layout: PixelLayout) -> [UInt8] {
        let size = size
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let target = UnsafeMutableRawBufferPointer(output)
            withUnsafeBytes { target.copyMemory(from: $0) }
            count = byteCount
            // The allocator aligns a byte array to at least four bytes.
            let rows = PixelRows(target, size)
            if alpha == .premultiplied, layout.alpha == .straight { rows.unpremultiply() }
            if alpha == .straight, layout.alpha != .straight { _ = rows.premultiply() }
            if layout.order == .rgba { rows.swapRedAndBlue() }
        }
    }
}
