public import AlcedoPixels
import CWebP

extension WebPCodec {
    /// Encodes a still WebP; lossless encoding keeps straight pixels exactly, even where alpha is 0.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .webp else { throw .unsupported(format, reason: "the WebP codec does not write it") }
        var config = try WebPConfig(quality: options.boundedQuality, isLossless: options.isLossless)
        var handle = try WebPPictureHandle(bitmap, isLossless: options.isLossless)
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            handle.picture.writer = { WebPMemoryWrite($0, $1, $2) }
            handle.picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &handle.picture) != 0
        }
        guard isEncoded else { throw handle.failure }
        return [UInt8](UnsafeBufferPointer(start: writer.mem, count: writer.size))
    }
}

extension WebPCodec {
    /// Writes animated WebP, lossy or lossless.
    public var animationFormats: [EncodedFormat] { [.webp] }

    /// Encodes an animated WebP; durations are rounded to 1 ms, and more than 65,535 plays are 65,535.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .webp else { throw .unsupported(format, reason: "the WebP codec does not write it") }
        return try AnimatedWebP.encode(
            frames: frames, quality: options.isLossless ? nil : options.boundedQuality)
    }
}

extension WebPConfig {
    /// libwebp's defaults at a quality from 0 to 1; lossless encoding always has effort 70 of 100.
    init(quality: Double, isLossless: Bool) throws(CodecError) {
        self.init()
        guard WebPConfigInit(&self) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp has another ABI version than at build time")
        }
        self.quality = Float(quality * 100)
        if isLossless {
            lossless = 1
            exact = 1
            self.quality = 70
        }
    }
}
