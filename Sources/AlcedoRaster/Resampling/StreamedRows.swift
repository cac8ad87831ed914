package import AlcedoPixels

extension Bitmap {
    /// Reduces an image that is decoded in bands, with the same result as ``resized(to:)`` of the whole image.
    ///
    /// The image is never in memory as a whole: beside the result there are a few rows. `next` returns the next rows, full
    /// width, from top to bottom; nil after the last one.
    ///
    /// - Returns: the result; opaque if all bands are.
    /// - Throws: the error of `next`; ``CodecError`` if the bands are not the image's, or memory runs out.
    package static func reduced(
        from source: PixelSize,
        to target: PixelSize,
        of format: EncodedFormat,
        next: @escaping () throws(CodecError) -> Bitmap?
    ) throws(CodecError) -> Bitmap {
        let rows = try StreamedRows(source, of: format, next: next)
        var result = try PixelBuilder(size: target, alpha: .opaque)
        let size = SIMD2(Double(source.width), Double(source.height))
        try rows.resample(
            into: &result, showing: PixelRect(x: 0, y: 0, width: size.x, height: size.y), of: size)
        try rows.finish()
        result.alpha = rows.isOpaque ? .opaque : .premultiplied
        return result.freeze()
    }

    /// Averages blocks of `side` × `side` pixels of what is decoded in bands, as ``reduced(from:to:of:next:)`` gets them.
    ///
    /// Blocks at the right and lower edge may be smaller.
    ///
    /// - Precondition: `side` is at most 48.
    package static func averaged(
        by side: Int,
        from source: PixelSize,
        of format: EncodedFormat,
        next: @escaping () throws(CodecError) -> Bitmap?
    ) throws(CodecError) -> Bitmap {
        let rows = try StreamedRows(source, of: format, next: next)
        let blocks = BlockAverager(rows, columns: side, rows: side)
        var result = try PixelBuilder(size: blocks.size, alpha: .opaque)
        let bytesPerRow = result.bytesPerRow
        result.withUnsafeMutableBytes { output in
            guard let start = output.baseAddress else { return }
            for row in 0..<blocks.size.height { blocks.write(row: row, to: start + row * bytesPerRow) }
        }
        try rows.finish()
        result.alpha = rows.isOpaque ? .opaque : .premultiplied
        return result.freeze()
    }
}

/// The rows of an image that is decoded in bands; keeps the bands with the last rows.
///
/// After an error, all rows are transparent; ``finish()`` throws it.
private final class StreamedRows: RowProvider {
    let size: PixelSize
    private(set) var isOpaque = true
    private let format: EncodedFormat
    private let next: () throws(CodecError) -> Bitmap?
    private var bands: [(first: Int, bitmap: Bitmap)] = []
    private var end = 0
    private var failure: CodecError?
    private let emptyRow: UnsafeMutableRawPointer

    /// The rows that a filter reads at once: without blocks it reduces by less than six, by three lobes to either side.
    private static let window = 48

    init(
        _ size: PixelSize,
        of format: EncodedFormat,
        next: @escaping () throws(CodecError) -> Bitmap?
    ) throws(CodecError) {
        self.size = size
        self.format = format
        self.next = next
        emptyRow = try PixelMemory.allocate(byteCount: size.width * 4)
        emptyRow.initializeMemory(as: UInt8.self, repeating: 0, count: size.width * 4)
    }

    deinit { PixelMemory.free(emptyRow) }

    func row(_ y: Int) -> UnsafeRawPointer {
        while y >= end, failure == nil {
            do throws(CodecError) { try readBand() } catch { failure = error }
        }
        for (first, bitmap) in bands.reversed() where y >= first && y - first < bitmap.height {
            return bitmap.row(y - first)
        }
        return UnsafeRawPointer(emptyRow)
    }

    /// Reads the bands that no row was taken of; throws the first error.
    func finish() throws(CodecError) {
        while end < size.height, failure == nil { try readBand() }
        if let failure { throw failure }
        // Some decoders detect damage only when they are asked for more rows than there are.
        guard try next() == nil else { throw .corrupt(format, reason: "it has too many rows") }
    }

    private func readBand() throws(CodecError) {
        guard let band = try next() else { throw .truncated(format) }
        guard band.width == size.width, band.height <= size.height - end, band.alpha != .straight else {
            throw .corrupt(format, reason: "its rows do not have the size in its headers")
        }
        bands.removeAll { end - ($0.first + $0.bitmap.height) >= Self.window }
        bands.append((end, band))
        end += band.height
        if band.alpha != .opaque { isOpaque = false }
    }
}
