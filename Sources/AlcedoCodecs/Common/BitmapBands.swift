import AlcedoPixels

/// A bitmap that is handed out in bands of rows.
final class BitmapBands: FrameDecoder {
    let info: ImageInfo

    private let bitmap: Bitmap
    private let limits: DecodeLimits
    private var nextRow = 0

    init(_ bitmap: Bitmap, info: ImageInfo, limits: DecodeLimits) {
        self.bitmap = bitmap
        self.limits = limits
        self.info = info
    }

    func next() throws(CodecError) -> AnimationFrame? {
        guard nextRow < bitmap.height else { return nil }
        let height = min(Self.height(for: bitmap.size, limits), bitmap.height - nextRow)
        let start = nextRow * bitmap.bytesPerRow
        var band = try PixelBuilder(
            size: PixelSize(width: bitmap.width, height: height), alpha: bitmap.alpha)
        bitmap.withUnsafeBytes { pixels in
            let rows = UnsafeRawBufferPointer(rebasing: pixels[start..<start + height * bitmap.bytesPerRow])
            band.withUnsafeMutableBytes { $0.copyMemory(from: rows) }
        }
        nextRow += height
        return AnimationFrame(bitmap: band.freeze(), duration: 0)
    }

    func rewind() { nextRow = 0 }

    // MARK: - Size of a band

    /// The rows of a band of an image of `size`: about half a million pixels, within the limit of a frame if a row is.
    static func height(for size: PixelSize, _ limits: DecodeLimits = DecodeLimits()) -> Int {
        max(1, min(1 << 19, limits.pixelsPerFrame) / max(1, size.width))
    }

    /// The bytes of the bands that a reduction keeps: those with the last 48 rows, and two more.
    static func byteCount(for size: PixelSize) -> Int {
        let rows = min(size.height, height(for: size) * 2 + 48)
        let (bytes, overflow) = size.width.multipliedReportingOverflow(by: rows * 4)
        return overflow ? .max / 4 : bytes
    }
}
