/// Pixels being written; `freeze()` turns them into a ``Bitmap`` without a copy.
///
/// The layout is ``Bitmap``'s. A builder that is dropped frees its memory.
public struct PixelBuilder: ~Copyable {
    /// Width and height; neither is zero.
    public let size: PixelSize

    /// The kind of the finished bitmap's alpha, which the writer has to ensure.
    public var alpha: Bitmap.Alpha

    /// The colours of deep pixels, retained, because `discard` needs trivial properties; nil for 8 bits of sRGB.
    private let deep: Unmanaged<DeepColors>?

    private let base: UnsafeMutableRawPointer

    /// Reserves memory for `size` pixels, with undefined content.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is not positive or the byte count
    ///   does not fit an `Int`, and ``CodecError/outOfMemory(byteCount:)`` if there is no memory. The system may overcommit,
    ///   so check sizes from untrusted files against limits before.
    public init(size: PixelSize, alpha: Bitmap.Alpha) throws(CodecError) {
        try self.init(size: size, alpha: alpha, deep: nil)
    }

    /// As ``init(size:alpha:)``, for pixels of four 16-bit samples if there are colours of such.
    package init(size: PixelSize, alpha: Bitmap.Alpha, deep: DeepColors?) throws(CodecError) {
        let (byteCount, overflow) = size.area.multipliedReportingOverflow(by: deep == nil ? 4 : 8)
        guard !size.isEmpty, !overflow else {
            throw .limitExceeded(.pixels, value: size.area, limit: Int.max / 4)
        }
        let memory = try PixelMemory.allocateBitmap(byteCount: byteCount)
        self.size = size
        self.alpha = alpha
        self.deep = deep.map { Unmanaged.passRetained($0) }
        base = memory
    }

    deinit {
        PixelMemory.freeBitmap(base, byteCount: size.height * bytesPerRow)
        deep?.release()
    }

    /// Bytes from the start of a row to the start of the next: `width * 4`.
    public var bytesPerRow: Int { size.width * (deep == nil ? 4 : 8) }

    /// Calls `body` with all the pixels; the buffer is valid only inside it.
    public mutating func withUnsafeMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeMutableRawBufferPointer(start: base, count: size.height * bytesPerRow))
    }

    /// Passes the pixels on without a copy, and consumes the builder.
    public consuming func freeze() -> Bitmap {
        let bitmap = Bitmap(size: size, alpha: alpha, deep: deep?.takeRetainedValue(), adopting: base)
        discard self
        return bitmap
    }
}
