import AlcedoPixels

extension PixelBuilder {
    /// Makes all rows after the first `count` transparent, which the bytes of a truncated image lack.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` if there are no rows.
    mutating func clear(
        after count: Int, of format: EncodedFormat, _ options: DecodeOptions
    ) throws(CodecError) {
        guard count > 0 else { throw .truncated(format) }
        guard count < size.height else { return }
        let start = count * bytesPerRow
        withUnsafeMutableBytes { bytes in
            _ = UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        if alpha == .opaque { alpha = options.keepsStraightAlpha ? .straight : .premultiplied }
    }
}
