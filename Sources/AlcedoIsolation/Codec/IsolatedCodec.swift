package import AlcedoPixels

/// A codec that decodes in a worker process if the limits require it.
///
/// Signatures are checked in this process, and images are encoded in it.
package struct IsolatedCodec: IsolatingCodec, ColorDescribing, BlockTransforming {
    private let codec: any ImageCodec
    private let group: DecoderGroup
    private let readsHeadersHere: Bool
    private let conversion: (any StandardConversion)?

    /// Wraps a codec of this process and of the workers.
    ///
    /// If `readsHeadersHere`, ``info(of:limits:)`` runs in this process, unless isolation is required. For codecs that read
    /// headers in bounds-checked Swift; saves one request per image. `conversion` makes 8 bits of sRGB of deep pixels;
    /// without it images are decoded with ``ColorRetention/standard``.
    package init(
        _ codec: any ImageCodec, in group: DecoderGroup, readsHeadersHere: Bool = false,
        conversion: (any StandardConversion)? = nil
    ) {
        self.conversion = conversion
        self.codec = codec
        self.group = group
        self.readsHeadersHere = readsHeadersHere
    }

    package func format(of bytes: RawSpan) -> EncodedFormat? { codec.format(of: bytes) }

    package func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        if readsHeadersHere, limits.sandbox != .required {
            return try codec.info(of: bytes, limits: limits)
        }
        return try decoding(bytes, limits) { work throws(CodecError) in
            try work.info()
        } here: { () throws(CodecError) in
            try codec.info(of: bytes, limits: limits)
        }
    }

    package func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        try decoding(bytes, options.limits) { work throws(CodecError) in
            try work.decode(options)
        } here: { () throws(CodecError) in
            try codec.decode(bytes, options: options)
        }
    }

    package var decodesTruncated: Bool { codec.decodesTruncated }

    package func frames(
        of bytes: EncodedBytes, options: DecodeOptions
    ) throws(CodecError) -> any FrameDecoder {
        try decoding(bytes.buffer.bytes, options.limits) { work throws(CodecError) -> any FrameDecoder in
            try IsolatedFrames(bytes, work, options: options)
        } here: { () throws(CodecError) in
            try codec.frames(of: bytes, options: options)
        }
    }

    package func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        try decoding(bytes, limits) { work throws(CodecError) in
            try work.durations()
        } here: { () throws(CodecError) in
            try codec.frameDurations(of: bytes, limits: limits)
        }
    }

    /// Reads headers in this process, without the format's library: libtiff took 3.4 GB to open a file of 8 KB.
    package func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        codec.memory(of: bytes, info: info, options: options)
    }

    /// A worker decodes the picture, as small as it can; of an animation the last frame may be missing, so that is none.
    package func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        let response = try? decoding(bytes, limits) { work throws(CodecError) in
            guard try work.info().frameCount == 1 else { return false }
            let options = DecodeOptions {
                $0.atLeast = PixelSize(width: 1, height: 1)
                $0.limits = limits
            }
            _ = try work.decode(options)
            return true
        } here: { () throws(CodecError) in
            codec.hasAllPixels(bytes, limits: limits)
        }
        return response ?? false
    }

    package func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        let profile = try? decoding(bytes, limits) { work throws(CodecError) in
            try work.profile()
        } here: { () throws(CodecError) in
            codec.profile(of: bytes, limits: limits)
        }
        return profile ?? nil
    }

    /// Reads headers in this process, without the format's library.
    package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
        guard let codec = codec as? any ColorDescribing else { return StoredColors(bits: 8) }
        return codec.colors(of: bytes, limits: limits)
    }

    package func transformed(
        _ bytes: RawSpan, by transform: BlockTransform, limits: DecodeLimits
    ) throws(CodecError) -> [UInt8] {
        guard let codec = codec as? any BlockTransforming else {
            throw .encodingFailed(codec.format(of: bytes) ?? .jpeg, reason: "only JPEGs have blocks to turn")
        }
        return try decoding(bytes, limits) { work throws(CodecError) in
            try work.transformed(by: transform)
        } here: { () throws(CodecError) in
            try codec.transformed(bytes, by: transform, limits: limits)
        }
    }

    /// Decodes in a worker, or in this process if the limits allow it and there is no worker.
    private func decoding<Result>(
        _ bytes: RawSpan, _ limits: DecodeLimits, _ there: (IsolatedDecoding) throws(CodecError) -> Result,
        here: () throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        guard group.isIsolated(limits.sandbox) else { return try here() }
        if limits.sandbox != .required, group.isAbsent {
            group.reportAbsence()
            return try here()
        }
        try limits.check(encodedBytes: bytes.byteCount)
        guard let format = codec.format(of: bytes) else { throw .unknownFormat }
        defer { group.checkLevel() }
        do throws(CodecError) {
            return try bytes.withUnsafeBytes { input throws(CodecError) in
                try there(
                    IsolatedDecoding(
                        pool: group.pool, format: format, input: input, limits: limits,
                        conversion: conversion))
            }
        } catch .sandboxFailed(let format, .unavailable(let reason)) {
            // After a worker has started once, a failure is temporary, and no reason to decode in this process.
            guard limits.sandbox != .required, group.pool.level == nil else {
                throw .sandboxFailed(format, .unavailable(reason: reason))
            }
            group.reportAbsence(reason)
            return try here()
        }
    }

    // MARK: - Encoding

    package var encodableFormats: [EncodedFormat] { codec.encodableFormats }

    package func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        try codec.encode(bitmap, as: format, options: options)
    }

    package var animationFormats: [EncodedFormat] { codec.animationFormats }

    package func encode(
        frames: any FrameDecoder, as format: EncodedFormat, options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        try codec.encode(frames: frames, as: format, options: options)
    }
}
