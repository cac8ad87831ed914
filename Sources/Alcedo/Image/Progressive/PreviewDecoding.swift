import AlcedoCodecs
import AlcedoRaster

extension PreviewSchedule.Preview {
    /// Decodes the preview from the received bytes, upright.
    ///
    /// - Parameters:
    ///   - pieces: the bytes, in order; may be more than it needs.
    ///   - limits: bound it like a complete image.
    ///   - resources: where it gets a codec and reserves memory.
    /// - Returns: the pixels, those that are missing transparent or coarse, and the upright size of the image.
    /// - Throws: ``CodecError/truncated(_:)`` if the bytes have no pixels yet, and
    ///   ``CodecError/unsupported(_:reason:)`` for a format that has no previews.
    func decode(
        _ pieces: [[UInt8]], limits: DecodeLimits, with resources: DecodeResources
    ) throws(CodecError) -> (bitmap: Bitmap, size: PixelSize) {
        let bytes = joined(pieces)
        let span = bytes.span.bytes
        let codec = try resources.codecs.codec(for: span, within: limits)
        guard let format = codec.format(of: span) else { throw .unknownFormat }
        guard codec.decodesTruncated else {
            throw .unsupported(format, reason: "it has no previews")
        }
        let info = try codec.info(of: span, limits: limits)
        guard isThumbnail else {
            let options = DecodeOptions(allowsTruncation: true, limits: limits)
            let bitmap = try Self.decode(span, info, options, codec, resources.budget)
            return (try bitmap.oriented(info.orientation), info.uprightSize)
        }
        guard let range = JPEGCodec.thumbnail(in: span) else { throw .truncated(format) }
        let thumbnail = span.extracting(range)
        let thumbnailInfo = try codec.info(of: thumbnail, limits: limits)
        let options = DecodeOptions(limits: limits)
        let bitmap = try Self.decode(thumbnail, thumbnailInfo, options, codec, resources.budget)
        return (try bitmap.oriented(info.orientation), info.uprightSize)
    }

    /// Decodes to the size that the headers state.
    private static func decode(
        _ bytes: RawSpan, _ info: ImageInfo, _ options: DecodeOptions, _ codec: any ImageCodec,
        _ budget: DecodeBudget
    ) throws(CodecError) -> Bitmap {
        // Before memory is reserved: headers allow more pixels, for images that are decoded to fewer.
        try options.limits.check(frame: info.size, of: info.format)
        let memory = codec.memory(of: bytes, info: info, options: options)
        // The copy that is turned upright may be the larger part.
        let cost = memory.result + max(memory.beside, memory.result)
        return try budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try codec.decode(bytes, options: options)
            // A compromised worker process may return a size that differs from its headers.
            guard bitmap.size == info.size else {
                throw .corrupt(
                    info.format, reason: "its bitmap is \(bitmap.size), but its headers state \(info.size)")
            }
            return bitmap
        }
    }

    private func joined(_ pieces: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        for piece in pieces where bytes.count < length { bytes += piece.prefix(length - bytes.count) }
        return bytes
    }
}
