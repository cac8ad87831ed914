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

    /// Encodes `bitmap`; nil if it is too large, so that libspng encodes it.
    ///
    /// - Throws: ``CodecError/outOfMemory(byteCount:)``.
    static func encode(_ bitmap: Bitmap) throws(CodecError) -> [UInt8]? {
        let source = PNGSourceRows(bitmap)
        guard let body = try deflated(source) else { return nil }
        defer { PixelMemory.free(body.bytes) }
        var header: [UInt8] = []
        PNGChunkWriter.append(UInt32(bitmap.width), to: &header)
        PNGChunkWriter.append(UInt32(bitmap.height), to: &header)
        header += [8, source.channels == 3 ? 2 : 6, 0, 0, 0]
        var output = PNGChunkWriter()
        output.reserve(body.count + 64)
        output.add("IHDR", header[...])
        output.add("IDAT", UnsafeRawBufferPointer(start: body.bytes, count: body.count))
        output.add("IEND")
        return output.bytes
    }

    /// The filtered and compressed rows; the caller frees them with ``PixelMemory/free(_:)``.
    private static func deflated(
        _ source: PNGSourceRows
    ) throws(CodecError) -> (bytes: UnsafeMutableRawPointer, count: Int)? {
        let count = (1 + source.bytesPerRow) * source.bitmap.height
        guard count <= byteLimit else { return nil }
        // The last row is written 16 bytes at a time too.
        let rows = try PixelMemory.allocate(byteCount: count + 16)
        defer { PixelMemory.free(rows) }
        filter(source, to: rows)
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        let capacity = libdeflate_zlib_compress_bound(compressor, count)
        let bytes = try PixelMemory.allocate(byteCount: capacity)
        let written = libdeflate_zlib_compress(compressor, rows, count, bytes, capacity)
        if written == 0 { PixelMemory.free(bytes) }
        return written == 0 ? nil : (bytes, written)
    }

    /// Writes all rows with filter 2 (Up): the filter byte, then the difference from the row above.
    private static func filter(_ source: PNGSourceRows, to rows: UnsafeMutableRawPointer) {
        let (length, height) = (source.bytesPerRow, source.bitmap.height)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 * source.capacity, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * source.capacity)
        var (above, row) = (memory, memory + source.capacity)
        for y in 0..<height {
            source.write(row: y, to: row)
            let target = rows + y * (length + 1)
            target.storeBytes(of: 2, as: UInt8.self)
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

/// The rows of a bitmap in PNG's layout: RGB, or RGBA with straight alpha if it is not opaque.
struct PNGSourceRows {
    let bitmap: Bitmap
    let channels: Int

    var bytesPerRow: Int { bitmap.width * channels }

    /// Bytes of a row buffer: a row of BGRA, rounded up to a multiple of 16.
    var capacity: Int { (bitmap.bytesPerRow + 15) / 16 * 16 }

    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        channels = bitmap.alpha == .opaque ? 3 : 4
    }

    /// Writes a row to a buffer of ``capacity`` bytes.
    func write(row y: Int, to memory: UnsafeMutableRawPointer) {
        bitmap.withUnsafeBytes { pixels in
            guard let base = pixels.baseAddress else { return }
            memory.copyMemory(from: base + y * bitmap.bytesPerRow, byteCount: bitmap.bytesPerRow)
        }
        let row = PixelRows(memory, PixelSize(width: bitmap.width, height: 1))
        if bitmap.alpha == .premultiplied { row.unpremultiply() }
        row.swapRedAndBlue()
        if channels == 3 { row.dropAlpha() }
    }
}
