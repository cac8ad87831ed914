package import AlcedoPixels
import CJPEGShim
import Glibc

extension JPEGCodec: BlockTransforming {
    /// Moves the coefficients, in ``memory(of:by:)`` bytes.
    package func transformed(
        _ bytes: RawSpan, by transform: BlockTransform, limits: DecodeLimits
    ) throws(CodecError) -> [UInt8] {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try JPEGHeader(bytes)
        try JPEGPlan.checkSupport(header)
        try limits.check(frame: header.size, of: .jpeg)
        let blocks = try JPEGBlocks(header, transform)
        let axes = transform.turn.axes
        let deadline = Deadline(limits)
        var how = alcedo_jpeg_transform(
            source_width: UInt32(header.size.width), source_height: UInt32(header.size.height),
            swaps: axes.swaps ? 1 : 0, flips_x: axes.flipsX ? 1 : 0, flips_y: axes.flipsY ? 1 : 0,
            x: UInt32(blocks.start.column), y: UInt32(blocks.start.row),
            width: UInt32(blocks.region.width), height: UInt32(blocks.region.height),
            scan_limit: Int32(clamping: limits.progressiveScans), memory_limit: header.memoryLimit,
            deadline: deadline.nanoseconds, allows_early_ends: 0)
        var message = JPEGMessage()
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = bytes.withUnsafeBytes { input in
            let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return message.withBuffer { text in
                let status = alcedo_jpeg_turn(start, input.count, &how, &written, &count, text)
                guard status == ALCEDO_JPEG_TRUNCATED,
                    JPEGPlan.hasAllMCUs(input, header, until: deadline)
                else { return status }
                how.allows_early_ends = 1
                return alcedo_jpeg_turn(start, input.count, &how, &written, &count, text)
            }
        }
        if let error = JPEGPlan.error(status, message, limits, deadline) { throw error }
        defer { free(written) }
        let file = [UInt8](UnsafeBufferPointer(start: written, count: count))
        return header.profile(in: bytes, limit: .max).map { Self.adding($0, to: file) } ?? file
    }

    /// The bytes of the coefficients of both pictures: for each pixel up to 12, and 16 with four colours; read from headers.
    package static func memory(
        of bytes: RawSpan, by transform: BlockTransform
    ) throws(CodecError) -> Int {
        let header = try JPEGHeader(bytes)
        let region = try JPEGBlocks(header, transform).region
        let share = Double(region.width * region.height) / Double(header.size.area)
        return header.coefficientBytes + Int(Double(header.coefficientBytes) * share)
    }

    /// The part of the turned picture that a transform keeps; read from headers.
    package static func region(
        of bytes: RawSpan, by transform: BlockTransform
    ) throws(CodecError) -> PixelFrame {
        try JPEGBlocks(JPEGHeader(bytes), transform).region
    }
}
