/// Pixels being written; `freeze()` turns them into a ``Bitmap`` without a copy.
///
/// The layout is ``Bitmap``'s. A builder that is dropped frees its memory.
public struct PixelBuilder: ~Copyable {
    /// Width and height; neither is zero.
    public let size: PixelSize

    /// The kind of the finished bitmap's alpha, which the writer has to ensure.
    public var alpha: Bitmap.Alpha

    private let base: UnsafeMutableRawPointer

    /// Reserves memory for `size` pixels, with undefined content.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is not positive or the byte count
    ///   does not fit an `Int`, and ``CodecError/outOfMemory(byteCount:)`` if there is no memory. The system may overcommit,
    ///   so check sizes from untrusted files against limits before.
    public init(size: PixelSize, alpha: Bitmap.Alpha) throws(CodecError) {
        let (byteCount, overflow) = size.area.multipliedReportingOverflow(by: 4)
        guard !size.isEmpty, !overflow else {
            throw .limitExceeded(.pixels, value: size.area, limit: Int.max / 4)
        }
        let memory = try PixelMemory.allocateBitmap(byteCount: byteCount)
        self.size = size
        self.alpha = alpha
        base = memory
    }

    deinit { PixelMemory.freeBitmap(base, byteCount: size.area * 4) }

    /// Bytes from the start of a row to the start of the next: always `width * 4`.
    public var bytesPerRow: Int { size.width * 4 }

    /// Calls `body` with all the pixels; the buffer is valid only inside it.
    public mutating func withUnsafeMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeMutableRawBufferPointer(start: base, count: size.area * 4))
    }

    /// Passes the pixels on without a copy, and consumes the builder.
    public consuming func freeze() -> Bitmap {
        let bitmap = Bitmap(size: size, alpha: alpha, adopting: base)
        discard self
        return bitmap
    }
}
