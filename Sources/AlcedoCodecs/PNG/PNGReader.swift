import AlcedoPixels
import CSpng
import Glibc

/// Reads one PNG from memory with libspng; the bytes must outlive it.
///
/// libspng gets only the chunks that affect pixels, so text and other metadata cannot make an image invalid.
struct PNGReader: ~Copyable {
    private let handle: OpaquePointer
    private let source: UnsafeMutablePointer<PNGSource>

    /// Limits the size to that of `header`, which was checked; with `isVerified` it ignores checksums.
    init(
        _ bytes: UnsafeRawBufferPointer,
        header: PNGHeader,
        includesProfile: Bool = false,
        isVerified: Bool = false,
        limits: DecodeLimits
    ) throws(CodecError) {
        let flags = isVerified ? SPNG_CTX_IGNORE_ADLER32.rawValue : 0
        guard let handle = spng_ctx_new(Int32(flags)) else { throw .corrupt(.png, reason: "out of memory") }
        let source = UnsafeMutablePointer<PNGSource>.allocate(capacity: 1)
        source.initialize(to: PNGSource(bytes, repairs: header.repairs(includesProfile: includesProfile)))
        let largestChunk = min(max(limits.metadataBytes, 0), Int(Int32.max))
        // These calls do not fail for checked sizes; if one did, decoding would fail.
        spng_set_image_limits(handle, UInt32(header.size.width), UInt32(header.size.height))
        spng_set_chunk_limits(handle, largestChunk, largestChunk)
        if isVerified {
            spng_set_crc_action(handle, Int32(SPNG_CRC_USE.rawValue), Int32(SPNG_CRC_USE.rawValue))
        }
        spng_set_png_stream(
            handle,
            { _, user, output, count in
                guard let source = user?.assumingMemoryBound(to: PNGSource.self), let output else {
                    return SPNG_IO_ERROR.rawValue
                }
                return source.pointee.read(count, into: output) ? 0 : SPNG_IO_EOF.rawValue
            },
            source
        )
        self.handle = handle
        self.source = source
    }

    deinit {
        spng_ctx_free(handle)
        source.deinitialize(count: 1)
        source.deallocate()
    }

    /// The inflated profile; nil if it has more than `limit` bytes or the reader skips it.
    func profile(limit: Int) -> [UInt8]? {
        var chunk = spng_iccp()
        guard spng_get_iccp(handle, &chunk) == 0, let start = chunk.profile, chunk.profile_len <= limit else {
            return nil
        }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: chunk.profile_len))
    }

    /// Starts row-by-row decoding to RGBA, of 16 bits a channel if the image has them or the caller wants them.
    func start(_ header: PNGHeader, isDeep: Bool = false) throws(CodecError) {
        let transparency = header.hasTransparency ? SPNG_DECODE_TRNS.rawValue : 0
        let format = header.isDeep || isDeep ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8
        let flags = Int32(SPNG_DECODE_PROGRESSIVE.rawValue | transparency)
        try check(spng_decode_image(handle, nil, 0, Int32(format.rawValue), flags))
    }

    /// The index of the next row and its interlacing pass, from 0; nil after the last one.
    ///
    /// An interlaced image returns to a row several times.
    func nextRow() throws(CodecError) -> (index: Int, pass: Int)? {
        var info = spng_row_info()
        let status = spng_get_row_info(handle, &info)
        if status == Int32(SPNG_EOI.rawValue) { return nil }
        try check(status)
        return (Int(info.row_num), Int(info.pass))
    }

    /// Decodes one row, or the part of it in one interlacing pass, of 8 bits a channel.
    func decodeRow(into row: PixelRows) throws(CodecError) {
        try decodeRow(into: row.base, byteCount: row.size.width * 4)
    }

    /// As `decodeRow(into:)`, of 16 bits a channel.
    func decodeRow(into row: DeepPixels) throws(CodecError) {
        try decodeRow(into: row.baseAddress, byteCount: row.count * 8)
    }

    private func decodeRow(into row: UnsafeMutableRawPointer?, byteCount: Int) throws(CodecError) {
        let status = spng_decode_row(handle, row, byteCount)
        if status != Int32(SPNG_EOI.rawValue) { try check(status) }
    }

    /// Checks the chunks after the pixels.
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

/// Bytes with some ranges replaced.
private struct PNGSource {
    private let bytes: UnsafeRawBufferPointer
    private let repairs: [PNGRepair]
    private var nextRepair = 0
    private var position = 0
    /// Bytes of the next repair that have been read.
    private var repaired = 0

    init(_ bytes: UnsafeRawBufferPointer, repairs: [PNGRepair]) {
        self.bytes = bytes
        self.repairs = repairs
    }

    /// Copies the next `count` bytes; false if there are fewer.
    mutating func read(_ count: Int, into output: UnsafeMutableRawPointer) -> Bool {
        var done = 0
        while done < count {
            let repair = nextRepair < repairs.count ? repairs[nextRepair] : nil
            let end = repair?.range.lowerBound ?? bytes.count
            let target = UnsafeMutableRawBufferPointer(start: output + done, count: count - done)
            if position == end {
                guard let repair else { return false }
                let part = repair.bytes[repaired...].prefix(target.count)
                target.copyBytes(from: part)
                done += part.count
                repaired += part.count
                guard repaired == repair.bytes.count else { continue }
                (position, repaired) = (repair.range.upperBound, 0)
                nextRepair += 1
                continue
            }
            let part = min(target.count, end - position)
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<(position + part)]))
            position += part
            done += part
        }
        return true
    }
}

extension PNGHeader {
    /// The repairs and the skipped chunks, in order.
    fileprivate func repairs(includesProfile: Bool) -> [PNGRepair] {
        let skipped = skippedChunks + (includesProfile ? [] : [profile].compactMap(\.self))
        let all = repairs + skipped.map { PNGRepair(range: $0, bytes: []) }
        return all.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
