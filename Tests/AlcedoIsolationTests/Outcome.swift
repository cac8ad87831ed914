import AlcedoPixels

/// Everything that a codec says of an image, errors included.
struct Outcome: Equatable {
    private var info: Result<ImageInfo, CodecError>
    private var durations: Result<[Double], CodecError>
    private var profile: [UInt8]?
    private var turned: Result<[UInt8], CodecError>?
    private var pictures: [Result<Picture, CodecError>] = []
    private var frames: [Picture] = []
    private var end: CodecError?

    init(of bytes: RawSpan, _ codec: any ImageCodec, _ limits: DecodeLimits) {
        info = Self.result { () throws(CodecError) in try codec.info(of: bytes, limits: limits) }
        durations = Self.result { () throws(CodecError) in
            try codec.frameDurations(of: bytes, limits: limits)
        }
        profile = codec.profile(of: bytes, limits: limits)
        if let codec = codec as? any BlockTransforming {
            let transform = BlockTransform(
                turn: .right, crop: PixelFrame(x: 9, y: 2, width: 300, height: 200), trims: true)
            turned = Self.result { () throws(CodecError) in
                try codec.transformed(bytes, by: transform, limits: limits)
            }
        }
        for count in [bytes.byteCount / 3, bytes.byteCount * 2 / 3] where codec.decodesTruncated {
            let options = DecodeOptions(allowsTruncation: true, limits: limits)
            pictures.append(
                Self.result { () throws(CodecError) in
                    Picture(bitmap: try codec.decode(bytes.extracting(first: count), options: options))
                })
        }
        for size in [nil, PixelSize(width: 20, height: 20)] {
            for straight in [false, true] {
                let options = DecodeOptions {
                    $0.limits = limits
                    $0.atLeast = size
                    $0.keepsStraightAlpha = straight
                }
                pictures.append(
                    Self.result { () throws(CodecError) in
                        Picture(bitmap: try codec.decode(bytes, options: options))
                    })
            }
        }
        do throws(CodecError) {
            let decoder = try codec.frames(
                of: EncodedBytes(copying: bytes), options: DecodeOptions { $0.limits = limits })
            for _ in 0..<2 {
                while frames.count < 200, let frame = try decoder.next() {
                    frames.append(Picture(bitmap: frame.bitmap, duration: frame.duration))
                }
                decoder.rewind()
            }
        } catch {
            end = error
        }
    }

    private static func result<Value>(
        _ body: () throws(CodecError) -> Value
    ) -> Result<Value, CodecError> {
        do throws(CodecError) { return .success(try body()) } catch { return .failure(error) }
    }

    private struct Picture: Equatable {
        let bitmap: Bitmap
        var duration = 0.0

        static func == (a: Picture, b: Picture) -> Bool {
            a.bitmap.hasSamePixels(as: b.bitmap) && a.duration == b.duration
        }
    }
}
