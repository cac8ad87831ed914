package import AlcedoPixels

/// Whether a codec reads what it writes.
package enum ReadBack {
    /// Sides around the limits of formats and libraries, and thin pictures.
    package static let sizes = [
        (1, 1), (3, 5), (257, 3), (1, 4096), (1, 16_383), (16_384, 1), (16_385, 1), (1, 32_768), (32_769, 1),
        (65_535, 1), (1, 65_536), (65_537, 1), (100_000, 1),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    /// The pictures that are written but not read back; those that the codec rejects do not count.
    package static func failures(
        of codec: any ImageCodec, _ format: EncodedFormat, _ size: PixelSize, isAnimated: Bool = false
    ) -> [String] {
        var failures: [String] = []
        for alpha in [Bitmap.Alpha.opaque, .straight] {
            for options in [EncodeOptions(quality: 0), EncodeOptions(isLossless: true)] {
                var text: String
                do {
                    let bitmap = try picture(size, alpha)
                    guard let bytes = try written(bitmap, codec, format, options, isAnimated) else {
                        continue
                    }
                    let read = try readSize(of: bytes, codec)
                    guard read != size else { continue }
                    text = "is \(read)"
                } catch {
                    text = "\(error)"
                }
                text += options.isLossless ? ", lossless" : ", quality \(options.quality)"
                failures.append("\(format) \(size) \(alpha): \(text)")
            }
        }
        return failures
    }

    private static func readSize(of bytes: [UInt8], _ codec: any ImageCodec) throws(CodecError) -> PixelSize {
        let limits = DecodeLimits(pixelsPerFrame: 1 << 28)
        return try codec.decode(bytes.span.bytes, options: DecodeOptions(limits: limits)).size
    }

    /// Nil if the codec rejects it.
    private static func written(
        _ bitmap: Bitmap, _ codec: any ImageCodec, _ format: EncodedFormat, _ options: EncodeOptions,
        _ isAnimated: Bool
    ) throws(CodecError) -> [UInt8]? {
        do throws(CodecError) {
            return try encode(bitmap, codec, format, options, isAnimated)
        } catch {
            guard case .encodingFailed = error else { throw error }
            return nil
        }
    }

    private static func encode(
        _ bitmap: Bitmap, _ codec: any ImageCodec, _ format: EncodedFormat, _ options: EncodeOptions,
        _ isAnimated: Bool
    ) throws(CodecError) -> [UInt8] {
        guard isAnimated else { return try codec.encode(bitmap, as: format, options: options) }
        let info = ImageInfo(
            format: format, size: bitmap.size, frameCount: 2, hasAlpha: bitmap.alpha != .opaque)
        let frames = FrameList(
            [AnimationFrame(bitmap: bitmap, duration: 0.1), AnimationFrame(bitmap: bitmap, duration: 0)],
            info: info)
        return try codec.encode(frames: frames, as: format, options: options)
    }

    private static func picture(_ size: PixelSize, _ alpha: Bitmap.Alpha) throws(CodecError) -> Bitmap {
        var pixels = try PixelBuilder(size: size, alpha: alpha)
        pixels.withUnsafeMutableBytes { output in
            for index in 0..<size.area {
                for channel in 0..<3 {
                    output[index * 4 + channel] = UInt8(truncatingIfNeeded: index * (7 + channel * 6))
                }
                output[index * 4 + 3] = alpha == .opaque ? 255 : UInt8(255 - index % 256)
            }
        }
        return pixels.freeze()
    }
}
