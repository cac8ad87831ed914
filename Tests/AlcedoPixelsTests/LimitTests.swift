import AlcedoPixels
import Testing

struct LimitTests {
    let limits = DecodeLimits {
        $0.pixelsPerFrame = 100
        $0.pixelsPerAnimation = 250
        $0.frames = 5
        $0.encodedBytes = 10
    }

    @Test func `a frame may have as many pixels as the limit says`() throws {
        try limits.check(frame: PixelSize(width: 10, height: 10), of: .png)
        #expect(throws: CodecError.limitExceeded(.pixels, value: 101, limit: 100)) {
            try limits.check(frame: PixelSize(width: 101, height: 1), of: .png)
        }
        #expect(throws: CodecError.limitExceeded(.pixels, value: .max, limit: 100)) {
            try limits.check(frame: PixelSize(width: .max, height: .max), of: .png)
        }
        #expect(throws: CodecError.corrupt(.png, reason: "its size is 0×9")) {
            try limits.check(frame: PixelSize(width: 0, height: 9), of: .png)
        }
    }

    @Test func `frames of an animation are limited in number and together`() throws {
        let size = PixelSize(width: 50, height: 1)
        try limits.check(frames: 5, of: size)
        #expect(throws: CodecError.limitExceeded(.frames, value: 6, limit: 5)) {
            try limits.check(frames: 6, of: size)
        }
        #expect(throws: CodecError.limitExceeded(.animationPixels, value: 300, limit: 250)) {
            try limits.check(frames: 3, of: PixelSize(width: 100, height: 1))
        }
        #expect(throws: CodecError.limitExceeded(.animationPixels, value: .max, limit: 250)) {
            try limits.check(frames: 2, of: PixelSize(width: .max, height: 1))
        }
    }

    @Test func `the bytes of a file are limited`() throws {
        try limits.check(encodedBytes: 10)
        #expect(throws: CodecError.limitExceeded(.encodedBytes, value: 11, limit: 10)) {
            try limits.check(encodedBytes: 11)
        }
    }

    @Test(arguments: [
        (CodecError.unknownFormat, "not an image in a known format"),
        (.truncated(.webp), "the WebP data is cut short"),
        (.corrupt(.png, reason: "bad sum"), "the PNG data is damaged (bad sum)"),
        (.limitExceeded(.frames, value: 2, limit: 1), "it has 2 frames, the limit is 1"),
    ])
    func `errors of codecs are sentences`(_ error: CodecError, _ text: String) {
        #expect("\(error)" == text)
    }
}
