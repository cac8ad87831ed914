import AlcedoPixels
import CJPEGShim

/// How to decode a JPEG with a known header.
struct JPEGPlan {
    /// The size of the result.
    let size: PixelSize

    /// The size of the whole picture at ``scale``.
    private let outputSize: PixelSize
    private let header: JPEGHeader
    private let options: DecodeOptions
    private let scale: Int
    private let transform: ColorTransform?
    /// The colours that pixels keep; nil for sRGB.
    private let deep: DeepTarget?

    /// Throws if libjpeg does not support the file, or if the result exceeds the limits; `bytes` are those of `header`.
    init(_ header: JPEGHeader, in bytes: RawSpan, options: DecodeOptions) throws(CodecError) {
        try Self.checkSupport(header)
        self.header = header
        self.options = options
        scale = Self.scale(header.size, options)
        outputSize = Self.scaled(header.size, by: scale)
        if let frame = options.region?.frame, !frame.isWithin(outputSize) {
            throw .unsupported(.jpeg, reason: "the region is not within its \(outputSize) pixels")
        }
        size = options.region?.frame.size ?? outputSize
        try Self.check(size, of: header, options.limits)
        let layout: ColorLayout =
            switch header.components {
            case 1: .grey
            case 4: .invertedCMYK
            default: .bgra
            }
        let profile = header.profile(in: bytes, limit: options.limits.metadataBytes)
        deep =
            options.allowsTruncation
            ? nil
            : DeepTarget(profile.map { .icc($0) }, layout: layout, isDeep: false, options: options)
        transform = deep == nil ? profile.flatMap { ColorTransform.toSRGB(from: $0, layout: layout) } : nil
    }

    static func size(of header: JPEGHeader, options: DecodeOptions) -> PixelSize {
        options.region?.frame.size ?? scaled(header.size, by: scale(header.size, options))
    }

    /// The fractional width and height of the picture in pixels of a size that it is reduced to by eighths.
    static func extent(of size: PixelSize, _ header: JPEGHeader) -> (width: Double, height: Double) {
        guard size != header.size,
            let eighths = JPEGCodec.eighths.first(where: { scaled(header.size, by: $0) == size })
        else {
            return (Double(size.width), Double(size.height))
        }
        return (Double(header.size.width * eighths) / 8, Double(header.size.height * eighths) / 8)
    }

    /// What C is to do; `deadline` must live as long.
    func decoding(until deadline: Deadline) -> alcedo_jpeg_decoding {
        alcedo_jpeg_decoding(
            scale: Int32(scale),
            output_width: UInt32(outputSize.width),
            output_height: UInt32(outputSize.height),
            as_cmyk: header.components == 4 ? 1 : 0,
            scan_limit: Int32(clamping: options.limits.progressiveScans),
            memory_limit: header.memoryLimit,
            deadline: deadline.nanoseconds,
            is_stopped: { stop in
                guard let stop else { return 0 }
                return Unmanaged<DecodeStop>.fromOpaque(stop).takeUnretainedValue().isStopped ? 1 : 0
            },
            stop: deadline.stop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) },
            allows_early_ends: 0,
            allows_truncation: options.allowsTruncation ? 1 : 0
        )
    }

    /// The region to decode; nil for the whole picture.
    var region: alcedo_jpeg_region? {
        options.region.map {
            alcedo_jpeg_region(
                x: UInt32($0.frame.x), y: UInt32($0.frame.y), width: UInt32($0.frame.width),
                height: UInt32($0.frame.height))
        }
    }

    /// Whether every MCU starts before its segment ends; false without an end marker, or if ``ReducedJPEG`` does not support
    /// the file.
    func hasAllMCUs(_ bytes: UnsafeRawBufferPointer, until deadline: Deadline) -> Bool {
        Self.hasAllMCUs(bytes, header, until: deadline)
    }

    static func hasAllMCUs(
        _ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader, until deadline: Deadline
    ) -> Bool {
        guard header.isComplete, var reduced = ReducedJPEG(bytes, eighths: 1), reduced.size == header.size
        else { return false }
        return reduced.hasAllMCUs(until: deadline)
    }

    /// Decodes with ``ReducedJPEG``, which is faster than libjpeg; on false libjpeg must overwrite `pixels`.
    func decodeReduced(
        _ bytes: UnsafeRawBufferPointer,
        to pixels: UnsafeMutableRawPointer?,
        until deadline: Deadline
    ) -> Bool {
        guard options.region == nil, var reduced = ReducedJPEG(bytes, eighths: scale),
            reduced.size == header.size
        else { return false }
        return reduced.decode(to: PixelRows(pixels, size), until: deadline)
    }

    /// Writes pixels, with the message buffer, and the number of rows, which it may reduce.
    typealias Fill = (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CChar>?, inout UInt32)
        -> alcedo_jpeg_status

    func bitmap(deadline: Deadline, fill: Fill) throws(CodecError) -> Bitmap {
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        var message = JPEGMessage()
        var rowCount = UInt32(size.height)
        let status = pixels.withUnsafeMutableBytes { output in
            let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return message.withBuffer { fill(start, $0, &rowCount) }
        }
        if let error = Self.error(status, message, options.limits, deadline) { throw error }
        try convert(&pixels, deadline)
        try pixels.clear(after: Int(rowCount), of: .jpeg, options)
        let bitmap = pixels.freeze()
        guard let deep else { return bitmap }
        return try bitmap.widened(to: deep, options: options)
    }

    /// The error of `status`; nil for success.
    static func error(
        _ status: alcedo_jpeg_status, _ message: JPEGMessage, _ limits: DecodeLimits, _ deadline: Deadline
    ) -> CodecError? {
        switch status {
        case ALCEDO_JPEG_OK: return nil
        case ALCEDO_JPEG_TRUNCATED: return .truncated(.jpeg)
        case ALCEDO_JPEG_UNSUPPORTED: return .unsupported(.jpeg, reason: message.text)
        case ALCEDO_JPEG_TOO_MANY_SCANS:
            let limit = limits.progressiveScans
            return .limitExceeded(.progressiveScans, value: limit + 1, limit: limit)
        case ALCEDO_JPEG_TOO_SLOW: return deadline.error
        default: return .corrupt(.jpeg, reason: message.text)
        }
    }

    private func convert(_ pixels: inout PixelBuilder, _ deadline: Deadline) throws(CodecError) {
        guard transform != nil || header.components == 4 else { return }
        let size = pixels.size
        try pixels.withUnsafeMutableBytes { buffer throws(CodecError) in
            let rows = PixelRows(buffer, size)
            try transform?.apply(to: rows, until: deadline)
            if header.components == 4 {
                // The fourth byte is still black; both set it to opaque alpha.
                transform == nil ? rows.multiplyByBlack() : rows.makeOpaque()
            }
        }
    }

    /// Counts the pixels of the result and, for an image too large to be decoded whole, the coefficients that are kept.
    private static func check(
        _ size: PixelSize, of header: JPEGHeader, _ limits: DecodeLimits
    ) throws(CodecError) {
        try limits.check(frame: size, of: .jpeg)
        guard header.hasSeveralScans, header.size.area > limits.pixelsPerFrame else { return }
        guard size.area + header.coefficientBytes / 4 <= limits.pixelsPerFrame else {
            throw .limitExceeded(.pixels, value: header.size.area, limit: limits.pixelsPerFrame)
        }
    }

    static func checkSupport(_ header: JPEGHeader) throws(CodecError) {
        guard header.precision == 8 else {
            throw .unsupported(.jpeg, reason: "\(header.precision) bits a channel")
        }
        guard header.coding != .other else {
            throw .unsupported(.jpeg, reason: "lossless or hierarchical coding")
        }
        guard [1, 3, 4].contains(header.components) else {
            throw .unsupported(.jpeg, reason: "\(header.components) channels")
        }
    }

    /// The number of eighths of `size` that covers what is wanted and decodes fastest; see ``JPEGCodec/eighths(of:)``.
    private static func scale(_ size: PixelSize, _ options: DecodeOptions) -> Int {
        if let region = options.region { return max(1, 8 / max(1, region.reduction)) }
        guard let wanted = options.atLeast else { return 8 }
        return JPEGCodec.eighths(of: size).first {
            let scaled = scaled(size, by: $0)
            return scaled.width >= wanted.width && scaled.height >= wanted.height
                && hasLittlePadding(size.width, by: $0) && hasLittlePadding(size.height, by: $0)
        } ?? 8
    }

    /// Whether the last sample of a side contains only a small share of padding.
    private static func hasLittlePadding(_ side: Int, by eighths: Int) -> Bool {
        side * eighths % 8 == 0 || side * eighths >= 64
    }

    /// Rounds up, as libjpeg does.
    private static func scaled(_ size: PixelSize, by eighths: Int) -> PixelSize {
        PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }
}

/// The buffer of libjpeg's error text.
struct JPEGMessage {
    private var characters = [CChar](repeating: 0, count: Int(ALCEDO_JPEG_MESSAGE))

    /// Calls `body` with the buffer for a C string.
    mutating func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
        characters.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }

    var text: String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
