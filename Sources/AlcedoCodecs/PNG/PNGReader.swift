import AlcedoPixels
import CSpng
import Glibc

/// libspng reading one PNG from memory; the bytes must outlive it.
struct PNGReader: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter header: Bounds the size that libspng accepts to the one that was checked.
    init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader, limits: DecodeLimits) throws(CodecError) {
        guard let handle = spng_ctx_new(0) else { throw .corrupt(.png, reason: "out of memory") }
        let largestChunk = min(max(limits.metadataBytes, 0), Int(Int32.max))
        // None of these fails for sizes that were checked; were one to, decoding would fail in its turn.
        spng_set_image_limits(handle, UInt32(header.size.width), UInt32(header.size.height))
        spng_set_chunk_limits(handle, largestChunk, largestChunk)
        spng_set_png_buffer(handle, bytes.baseAddress, bytes.count)
        self.handle = handle
    }

    deinit { spng_ctx_free(handle) }

    /// The embedded profile, inflated.
    func profile() -> [UInt8]? {
        var chunk = spng_iccp()
        guard spng_get_iccp(handle, &chunk) == 0, let start = chunk.profile else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: chunk.profile_len))
    }

    /// Prepares to decode row by row into RGBA.
    func start(appliesTransparency: Bool) throws(CodecError) {
        let flags = SPNG_DECODE_PROGRESSIVE.rawValue | (appliesTransparency ? SPNG_DECODE_TRNS.rawValue : 0)
        try check(spng_decode_image(handle, nil, 0, Int32(SPNG_FMT_RGBA8.rawValue), Int32(flags)))
    }

    /// The row that `decodeRow` will write to next, or nil after the last.
    ///
    /// An interlaced image comes back to a row several times.
    func nextRow() throws(CodecError) -> Int? {
        var info = spng_row_info()
        let status = spng_get_row_info(handle, &info)
        if status == Int32(SPNG_EOI.rawValue) { return nil }
        try check(status)
        return Int(info.row_num)
    }

    /// Decodes one row, or what one interlacing pass has of it.
    func decodeRow(into row: PixelRows) throws(CodecError) {
        let status = spng_decode_row(handle, row.base, row.size.width * 4)
        if status != Int32(SPNG_EOI.rawValue) { try check(status) }
    }

    /// Checks what comes after the pixels.
    func finish() throws(CodecError) { try check(spng_decode_chunks(handle)) }

    private func check(_ status: Int32) throws(CodecError) {
        switch status {
        case 0: return
        case SPNG_IO_EOF.rawValue, Int32(SPNG_EOF.rawValue): throw .truncated(.png)
        case Int32(SPNG_EMEM.rawValue): throw .corrupt(.png, reason: "out of memory")
        default: throw .corrupt(.png, reason: String(cString: spng_strerror(status)))
        }
    }
}
