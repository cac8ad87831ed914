import AlcedoCodecs
import AlcedoRaster

extension PreviewSchedule.Preview {
    /// Decodes the preview from the received bytes, upright.
    ///
    /// - Parameters:
    ///   - pieces: the bytes, in order; may be more than it needs.
    ///   - limits: bound it like a complete image.
    ///   - resources: where it gets a codec and reserves memory.
    /// - Returns: the pixels, those that are missing transparent or coarse.
    /// - Throws: ``CodecError/truncated(_:)`` if the bytes have no pixels yet, and
    ///   ``CodecError/unsupported(_:reason:)`` for a format that has no previews.
    func decode(
        _ pieces: [[UInt8]], limits: DecodeLimits, with resources: DecodeResources
    ) throws(CodecError) -> Bitmap {
        let bytes = joined(pieces)
        let span = bytes.span.bytes
        guard let codec = resources.codecs.codec(for: span), let format = codec.format(of: span) else {
            throw .unknownFormat
        }
        guard codec.decodesTruncated else {
            throw .unsupported(format, reason: "it has no previews")
        }
        let options = DecodeOptions(allowsTruncation: true, limits: limits)
        let info = try codec.info(of: span, limits: limits)
        let memory = codec.memory(of: span, info: info, options: options)
        let turned = info.orientation == .up ? 0 : memory.result
        let cost = memory.result + max(memory.beside, turned)
        return try resources.budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try codec.decode(span, options: options)
            // A compromised worker process may return a size that differs from its headers.
            guard bitmap.size == info.size else {
                throw .corrupt(
                    format, reason: "its bitmap is \(bitmap.size), but its headers state \(info.size)")
            }
            return try bitmap.oriented(info.orientation)
        }
    }

    private func joined(_ pieces: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        for piece in pieces where bytes.count < length { bytes += piece.prefix(length - bytes.count) }
        return bytes
    }
}
