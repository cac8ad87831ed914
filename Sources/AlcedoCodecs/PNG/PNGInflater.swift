import AlcedoPixels
import CDeflate

/// Inflates the filtered rows of the most common kinds of PNG with one call of libdeflate.
///
/// libdeflate is several times as fast as zlib, but needs all input and a buffer for all output. It gets only valid files;
/// ``PNGReader`` reads all others and reports their faults.
enum PNGInflater {
    /// The most bytes to inflate, because a call can't be interrupted.
    private static let byteLimit = 256 << 20

    /// The most bytes in a buffer of their own, outside the image's memory.
    private static let extraByteLimit = 64 << 20

    /// Calls `body` with the contiguous rows, each a filter byte and three or four bytes per pixel.
    ///
    /// The rows are at the end of `output`, the image's memory, if they fit, so that `body` can write the image from its
    /// start while it reads them. `isVerified` tells whether checksums were checked before.
    ///
    /// - Returns: the result of `body`; nil if it was not called.
    /// - Throws: the error of `body`, and ``CodecError/outOfMemory(byteCount:)``.
    static func withRows<Result>(
        of bytes: UnsafeRawBufferPointer,
        header: PNGHeader,
        isVerified: Bool,
        output: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawPointer) throws(CodecError) -> Result?
    ) throws(CodecError) -> Result? {
        guard let channels = header.plainChannels else { return nil }
        let count = (1 + header.size.width * channels) * header.size.height
        let fits = count <= output.count
        guard count <= byteLimit, fits || count <= extraByteLimit, let end = output.baseAddress,
            let data = try ImageData(bytes, isVerified: isVerified)
        else { return nil }
        let rows = fits ? end + output.count - count : try PixelMemory.allocate(byteCount: count)
        defer { if !fits { PixelMemory.free(rows) } }
        guard data.inflate(into: UnsafeMutableRawBufferPointer(start: rows, count: count)) else { return nil }
        return try body(UnsafeRawPointer(rows))
    }

    /// The concatenated bodies of the `IDAT` chunks.
    private struct ImageData: ~Copyable {
        private let bytes: UnsafeRawBufferPointer
        /// The memory of the copy; nil for a single chunk, which needs none.
        private let copy: UnsafeMutableRawPointer?

        /// Nil for an unknown critical chunk, a wrong checksum or a missing end.
        init?(_ file: UnsafeRawBufferPointer, isVerified: Bool) throws(CodecError) {
            guard let (chunks, count) = Self.chunks(file, isVerified: isVerified) else { return nil }
            if chunks.count == 1 {
                bytes = UnsafeRawBufferPointer(rebasing: file[chunks[0]])
                copy = nil
                return
            }
            let copy = try PixelMemory.allocate(byteCount: count)
            var target = copy
            for chunk in chunks {
                let body = UnsafeRawBufferPointer(rebasing: file[chunk])
                if let start = body.baseAddress { target.copyMemory(from: start, byteCount: body.count) }
                target += body.count
            }
            bytes = UnsafeRawBufferPointer(start: copy, count: count)
            self.copy = copy
        }

        deinit { if let copy { PixelMemory.free(copy) } }

        /// Inflates; false unless the data is valid and fills `output` exactly.
        func inflate(into output: UnsafeMutableRawBufferPointer) -> Bool {
            guard let decompressor = libdeflate_alloc_decompressor() else { return false }
            defer { libdeflate_free_decompressor(decompressor) }
            var used = 0
            var written = 0
            let result = libdeflate_zlib_decompress_ex(
                decompressor, bytes.baseAddress, bytes.count, output.baseAddress, output.count, &used,
                &written)
            return result == LIBDEFLATE_SUCCESS && used == bytes.count && written == output.count
        }

        private static func chunks(
            _ file: UnsafeRawBufferPointer,
            isVerified: Bool
        ) -> (bodies: [Range<Int>], count: Int)? {
            func isValid(_ body: Range<Int>) -> Bool {
                let covered = UnsafeRawBufferPointer(rebasing: file[(body.lowerBound - 4)..<body.upperBound])
                return isVerified
                    || file.bytes.u32BE(body.upperBound).map { PNGChecksum.of(covered) == $0 } == true
            }
            guard isValid(16..<29) else { return nil }
            var bodies: [Range<Int>] = []
            var count = 0
            var offset = 33
            while let length = file.bytes.u32BE(offset), let type = file.bytes.u32BE(offset + 4),
                offset + 12 + length <= file.count
            {
                let body = (offset + 8)..<(offset + 8 + length)
                switch type {
                case PNGHeader.idat:
                    guard isValid(body) else { return nil }
                    bodies.append(body)
                    count += length
                case PNGHeader.iend: return length == 0 && isValid(body) ? (bodies, count) : nil
                case _ where type & PNGHeader.ancillary == 0: return nil
                default: break
                }
                offset = body.upperBound + 4
            }
            return nil
        }
    }
}

extension PNGHeader {
    /// Bytes per pixel of a plain RGB or RGBA file without a colour key; else nil.
    fileprivate var plainChannels: Int? {
        guard isPlain, !hasTransparency else { return nil }
        switch color {
        case .rgb: return 3
        case .rgba: return 4
        case .grey, .palette, .greyAlpha: return nil
        }
    }
}
