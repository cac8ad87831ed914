import AlcedoPixels

extension PNGCodec {
    static func profile(
        of bytes: UnsafeRawBufferPointer, header: PNGHeader, limits: DecodeLimits
    ) -> [UInt8]? {
        guard header.profile != nil else { return nil }
        let reader = try? PNGReader(bytes, header: header, includesProfile: true, limits: limits)
        return reader?.profile(limit: limits.metadataBytes)
    }

    /// Decodes into `rows`; returns the alpha of the result.
    static func fill(
        _ rows: PixelRows,
        from reader: borrowing PNGReader,
        header: PNGHeader,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha {
        try reader.start(appliesTransparency: header.hasTransparency)
        let step = Deadline.rows(of: header.size.width)
        var isOpaque = true
        if header.isInterlaced {
            var decoded = 0
            while let (index, _) = try reader.nextRow() {
                if decoded % step == 0 { try deadline.check() }
                decoded += 1
                try reader.decodeRow(into: rows.row(index))
            }
            for index in 0..<header.size.height {
                if index % step == 0 { try deadline.check() }
                isOpaque = converter(rows.row(index)) && isOpaque
            }
        } else {
            // Converts each row while it is in the processor's cache.
            for index in 0..<header.size.height {
                if index % step == 0 { try deadline.check() }
                try reader.decodeRow(into: rows.row(index))
                isOpaque = converter(rows.row(index)) && isOpaque
            }
        }
        try reader.finish()
        return converter.alpha(isOpaque: isOpaque)
    }
}
