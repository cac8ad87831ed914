import AlcedoPixels
import CDeflate

/// Encodes a PNG with one call of libdeflate.
///
/// libdeflate takes less than half of zlib's time for photographs, but needs all input at once.
enum PNGDeflater {
    /// The most bytes of rows; the compressed rows and the file may each take as many again.
    private static let byteLimit = 64 << 20

    /// For photographs, higher levels take longer and make larger files.
    private static let level: Int32 = 1

    /// Indices are a fraction of the bytes: on screenshots and diagrams files are 7 % smaller than those of level 1, in
    /// a tenth more time.
    private static let packedLevel: Int32 = 5

    /// The signature, `IHDR`, `IEND` and what surrounds the data of `IDAT`.
    private static let frameBytes = 8 + 25 + 12 + 12

    /// Encodes `bitmap` in a layout that has room for its colours.
    ///
    /// - Returns: nil if it is too large, so that libspng encodes it, or if the file has `bound` bytes or more.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)``.
    static func encode(
        _ bitmap: Bitmap, _ layout: PNGLayout, below bound: Int = .max
    ) throws(CodecError) -> [UInt8]? {
        let most = bound - 1 - frameBytes - layout.chunkBytes
        guard most > 0, let body = try deflated(PNGSourceRows(bitmap, layout), most) else { return nil }
        defer { PixelMemory.free(body.bytes) }
        var output = PNGChunkWriter()
        output.reserve(body.count + frameBytes + layout.chunkBytes)
        output.add("IHDR", layout.header(width: bitmap.width, height: bitmap.height)[...])
        for chunk in layout.chunks { output.add(chunk.name, chunk.body[...]) }
        output.add("IDAT", UnsafeRawBufferPointer(start: body.bytes, count: body.count))
        output.add("IEND")
        return output.bytes
    }

    /// The filtered and compressed rows, at most `most` bytes; the caller frees them with ``PixelMemory/free(_:)``.
    private static func deflated(
        _ source: PNGSourceRows, _ most: Int
    ) throws(CodecError) -> (bytes: UnsafeMutableRawPointer, count: Int)? {
        let count = (1 + source.bytesPerRow) * source.bitmap.height
        guard count <= byteLimit else { return nil }
        // The last row is written 16 bytes at a time too.
        let rows = try PixelMemory.allocate(byteCount: count + 16)
        defer { PixelMemory.free(rows) }
        filter(source, to: rows)
        let level = source.layout.isFiltered ? level : packedLevel
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        // libdeflate needs a few bytes more than it writes.
        let capacity = min(most, Int.max - 64) + 64
        let bound = min(capacity, libdeflate_zlib_compress_bound(compressor, count))
        let bytes = try PixelMemory.allocate(byteCount: bound)
        let written = libdeflate_zlib_compress(compressor, rows, count, bytes, bound)
        guard (1...most).contains(written) else {
            PixelMemory.free(bytes)
            return nil
        }
        return (bytes, written)
    }

    /// Writes all rows with the filter byte and, with filter 2 (Up), the difference from the row above.
    private static func filter(_ source: PNGSourceRows, to rows: UnsafeMutableRawPointer) {
        var source = source
        let (length, height, isFiltered) = (
            source.bytesPerRow, source.bitmap.height, source.layout.isFiltered
        )
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 * source.capacity, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * source.capacity)
        var (above, row) = (memory, memory + source.capacity)
        for y in 0..<height {
            source.write(row: y, to: row)
            let target = rows + y * (length + 1)
            target.storeBytes(of: isFiltered ? 2 : 0, as: UInt8.self)
            guard isFiltered else {
                (target + 1).copyMemory(from: row, byteCount: length)
                continue
            }
            for offset in stride(from: 0, to: length, by: 16) {
                let difference =
                    row.load(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                    &- above.load(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                target.storeBytes(of: difference, toByteOffset: offset + 1, as: SIMD16<UInt8>.self)
            }
            swap(&above, &row)
        }
    }
}
