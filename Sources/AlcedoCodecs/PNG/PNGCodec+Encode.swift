public import AlcedoPixels
import CSpng
import Glibc

extension PNGCodec {
    /// Encodes the smallest of what keeps every pixel: grey in 1 to 8 bits, a palette of up to 256 colours, or 8-bit
    /// RGB, with alpha unless all pixels are opaque; straight pixels are lossless.
    ///
    /// A deep bitmap keeps its depth and its space, and ``EncodeOptions/depth`` chooses another one; with few
    /// colours it gets 8 bits of sRGB. It is never interlaced, nor are bitmaps that are too large for `PNGDeflater`.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .png else { throw .unsupported(format, reason: "the PNG codec does not write it") }
        var bitmap = bitmap
        if options.depth == 16 { bitmap = try bitmap.deepened() }
        if options.depth == 8, bitmap.colorSpace == .sRGB { bitmap = try bitmap.standard() }
        // The colours of palettes have 8 bits.
        if options.tuning.paletteColors != nil { bitmap = try bitmap.standard() }
        guard !bitmap.isDeep else { return try encodeDeep(bitmap, depth: options.depth) }
        if let most = options.tuning.paletteColors {
            bitmap = try PNGQuantizer(mostColors: most).quantized(bitmap)
        }
        guard let profile = options.profile else { return try encode(bitmap, PNGColors(bitmap), options) }
        // A profile for red, green and blue does not apply to grey (PNG, 11.3.2.3).
        return Self.adding(
            try Self.chunk(of: profile), to: try encode(bitmap, PNGColors(bitmap, mayBeGrey: false), options))
    }

    private func encode(
        _ bitmap: Bitmap, _ colors: PNGColors, _ options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        let effort: PNGDeflater.Effort = options.effort == .small ? .small : .fast
        var plain = colors.plain
        plain.isInterlaced = options.tuning.isInterlaced
        guard var packed = colors.packed(bitmap.alpha) else { return try encode(bitmap, plain, effort) }
        packed.isInterlaced = plain.isInterlaced
        let file = try encode(bitmap, packed, effort)
        // Gradients of few colours are smaller as differences of samples.
        let smaller = try PNGDeflater.encode(bitmap, plain, effort, below: file.count)
        return smaller ?? file
    }

    /// Encodes in a layout that has room for all colours of `bitmap`.
    func encode(
        _ bitmap: Bitmap, _ layout: PNGLayout, _ effort: PNGDeflater.Effort = .fast
    ) throws(CodecError) -> [UInt8] {
        if let file = try PNGDeflater.encode(bitmap, layout, effort) { return file }
        return try encodeRowByRow(bitmap, layout)
    }

    /// Encodes with libspng, which needs memory for the result only.
    func encodeRowByRow(_ bitmap: Bitmap, _ layout: PNGLayout) throws(CodecError) -> [UInt8] {
        var source = PNGSourceRows(bitmap, layout)
        return try encodeRows(of: bitmap.size, layout, capacity: source.capacity) {
            source.write(row: $0, to: $1)
        }
    }

    /// Encodes the rows that `write` writes to a buffer of `capacity` bytes, one after the other.
    func encodeRows(
        of size: PixelSize, _ layout: PNGLayout, capacity: Int,
        _ write: (_ y: Int, _ row: UnsafeMutableRawPointer) -> Void
    ) throws(CodecError) -> [UInt8] {
        guard let handle = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
            throw .encodingFailed(.png, reason: "out of memory")
        }
        defer { spng_ctx_free(handle) }
        var header = spng_ihdr()
        header.width = UInt32(clamping: size.width)
        header.height = UInt32(clamping: size.height)
        header.bit_depth = UInt8(layout.depth)
        header.color_type = UInt8(layout.color.rawValue)
        try check(spng_set_option(handle, SPNG_ENCODE_TO_BUFFER, 1))
        try check(spng_set_option(handle, SPNG_IMG_COMPRESSION_LEVEL, Self.compressionLevel))
        let filters = layout.isFiltered ? SPNG_FILTER_CHOICE_UP : SPNG_DISABLE_FILTERING
        try check(spng_set_option(handle, SPNG_FILTER_CHOICE, Int32(filters.rawValue)))
        try check(spng_set_ihdr(handle, &header))
        let flags = SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue
        try setPalette(of: layout, handle)
        try check(spng_encode_image(handle, nil, 0, Int32(SPNG_FMT_PNG.rawValue), Int32(flags)))
        let row = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        defer { row.deallocate() }
        for y in 0..<size.height {
            write(y, row)
            let status = spng_encode_row(handle, row, layout.rowBytes(size.width))
            if status != Int32(SPNG_EOI.rawValue) { try check(status) }
        }

        var count = 0
        var status: Int32 = 0
        let written = spng_get_png_buffer(handle, &count, &status)
        try check(status)
        defer { free(written) }
        return [UInt8](UnsafeRawBufferPointer(start: written, count: count))
    }

    /// Encodes an animated PNG; programs without animation support show its first frame.
    ///
    /// A frame contains only the rectangle that changes. All have one layout, the smallest without loss. Durations are
    /// rounded to 1 ms, and more than 2,147,483,647 plays are as many.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .png else { throw .unsupported(format, reason: "the PNG codec does not write it") }
        var encoder = APNGEncoder(frames.info.size)
        return try encoder.encode(frames)
    }

    /// For photographs, within 2 % of the size of level 6 with all filters, in an eighth of the time.
    private static let compressionLevel: Int32 = 2

    private func setPalette(of layout: PNGLayout, _ handle: OpaquePointer) throws(CodecError) {
        guard layout.color == .palette else { return }
        var (colors, alphas) = (spng_plte(), spng_trns())
        colors.n_entries = UInt32(layout.palette.count)
        let translucent = layout.translucent
        alphas.n_type3_entries = UInt32(translucent.count)
        withUnsafeMutableBytes(of: &colors.entries) { entries in
            for (index, color) in layout.palette.enumerated() {
                let entry = spng_plte_entry(
                    red: UInt8(color >> 16 & 0xFF), green: UInt8(color >> 8 & 0xFF),
                    blue: UInt8(color & 0xFF),
                    alpha: 255)
                entries.storeBytes(
                    of: entry, toByteOffset: index * MemoryLayout<spng_plte_entry>.stride,
                    as: spng_plte_entry.self)
            }
        }
        withUnsafeMutableBytes(of: &alphas.type3_alpha) { entries in
            for (index, color) in translucent.enumerated() { entries[index] = UInt8(color >> 24) }
        }
        try check(spng_set_plte(handle, &colors))
        if !translucent.isEmpty { try check(spng_set_trns(handle, &alphas)) }
    }

    private func check(_ status: Int32) throws(CodecError) {
        guard status != 0 else { return }
        throw .encodingFailed(.png, reason: String(cString: spng_strerror(status)))
    }
}
