import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `An image that is too large to be decoded whole` {
    private func pattern(_ width: Int, _ height: Int, clear: Bool) throws -> Bitmap {
        var builder = try PixelBuilder(
            size: PixelSize(width: width, height: height), alpha: clear ? .premultiplied : .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for index in 0..<width * height {
                let (x, y) = (index % width, index / width)
                let alpha = clear ? (x * 3 + y) % 256 : 255
                for channel in 0..<3 {
                    let value: Int = (x * (channel + 3) + y * y / (channel + 2)) % 256
                    bytes[index * 4 + channel] = UInt8(value * alpha / 255)
                }
                bytes[index * 4 + 3] = UInt8(alpha)
            }
        }
        return builder.freeze()
    }

    private func encoded(_ bitmap: Bitmap, _ format: EncodedFormat, isLossless: Bool = false) throws -> Data {
        Data(
            try CodecRegistry.shared.encode(
                bitmap, as: format, options: EncodeOptions { $0.isLossless = isLossless }))
    }

    /// Without blocks, halved, in blocks, and in blocks of more than 255 pixels.
    @Test(arguments: [(500, 400), (500, 100), (500, 30), (700, 1), (60, 59)], [false, true])
    func `an oversized image is reduced to the very pixels of the whole image`(
        _ sides: (Int, Int), _ clear: Bool
    ) throws {
        let data = try encoded(pattern(sides.0, sides.0 * 3 / 4, clear: clear), .png)
        let usual = try Image(decoding: data).bitmap().resized(
            to: PixelSize(width: sides.1, height: max(1, sides.1 * 3 / 4)))
        let limits = DecodeLimits { $0.pixelsPerFrame = sides.0 * sides.0 * 3 / 4 - 1 }
        let small = try EncodedImage(data, limits: limits, mayBeReduced: true).decode(resizedTo: usual.size)
        let isEqual = small.hasSamePixels(as: usual)
        #expect(isEqual)
        #expect(throws: CodecError.self) { try Image(decoding: data, limits: limits) }
    }

    @Test(arguments: [EncodedFormat.gif, .webp], [false, true])
    func `an oversized image is reduced from every format that has rows`(
        _ format: EncodedFormat, _ clear: Bool
    ) throws {
        let data = try encoded(pattern(400, 300, clear: clear), format)
        let size = PixelSize(width: 60, height: 45)
        let usual = try EncodedImage(data, limits: DecodeLimits()).decode(resizedTo: size)
        let limits = DecodeLimits { $0.pixelsPerFrame = 400 * 300 - 1 }
        let isEqual = try EncodedImage(data, limits: limits, mayBeReduced: true)
            .decode(resizedTo: size).hasSamePixels(as: usual)
        #expect(isEqual)
    }

    @Test
    func `an oversized lossless WebP is reduced by libwebp, within the memory of a whole image`() throws {
        let data = try encoded(pattern(400, 300, clear: false), .webp, isLossless: true)
        let size = PixelSize(width: 60, height: 45)
        let usual = try EncodedImage(data, limits: DecodeLimits()).decode(resizedTo: size)
        let enough = DecodeLimits { $0.pixelsPerFrame = 400 * 300 * 2 / 3 }
        let isEqual = try EncodedImage(data, limits: enough, mayBeReduced: true)
            .decode(resizedTo: size).hasSamePixels(as: usual)
        #expect(isEqual)
        let few = DecodeLimits { $0.pixelsPerFrame = 400 * 300 / 2 }
        let refusal = CodecError.limitExceeded(.pixels, value: 120_000, limit: 60_000)
        #expect(throws: refusal) {
            try EncodedImage(data, limits: few, mayBeReduced: true).decode(resizedTo: size)
        }
    }

    @Test func `an oversized interlaced image is reduced, if the memory for it is there`() throws {
        let data = Data(try Fixture.data("pngsuite/png/basi6a08.png"))
        let usual = try Image(decoding: data).bitmap().resized(to: PixelSize(width: 9, height: 9))
        let enough = DecodeLimits { $0.pixelsPerFrame = 32 * 32 / 2 }
        let small = try EncodedImage(data, limits: enough, mayBeReduced: true).decode(resizedTo: usual.size)
        let isEqual = small.hasSamePixels(as: usual)
        #expect(isEqual)
        let few = DecodeLimits { $0.pixelsPerFrame = 32 * 32 / 2 - 1 }
        #expect(throws: CodecError.limitExceeded(.pixels, value: 1024, limit: 511)) {
            try EncodedImage(data, limits: few, mayBeReduced: true).decode(resizedTo: usual.size)
        }
    }

    @Test(arguments: ["gif/treescap-interlaced.gif", "gif/treescap.gif", "gif/wedge.gif", "gif/x-trans.gif"])
    func `any oversized GIF of one frame is reduced`(_ path: String) throws {
        let data = Data(try Fixture.data(path))
        let whole = try Image(decoding: data).bitmap()
        let usual = try whole.resized(to: PixelSize(width: whole.width / 2, height: whole.height / 2))
        let limits = DecodeLimits { $0.pixelsPerFrame = whole.size.area - 1 }
        let small = try EncodedImage(data, limits: limits, mayBeReduced: true).decode(resizedTo: usual.size)
        let isEqual = small.hasSamePixels(as: usual)
        #expect(isEqual)
    }

    @Test(arguments: [EncodedFormat.png, .gif])
    func `an oversized image is an error if its rows end early`(_ format: EncodedFormat) throws {
        let data = try encoded(pattern(400, 300, clear: false), format)
        let limits = DecodeLimits { $0.pixelsPerFrame = 400 * 300 - 1 }
        for count in [data.count / 3, data.count - 40] {
            let damaged = data.prefix(count) + Data(repeating: 0, count: data.count - count)
            #expect(throws: CodecError.self) {
                try EncodedImage(damaged, limits: limits, mayBeReduced: true)
                    .decode(resizedTo: PixelSize(width: 60, height: 45))
            }
        }
    }

    @Test(arguments: [EncodedFormat.png, .gif, .webp])
    func `an oversized image keeps to the limits on stored pixels, time and the result's size`(
        _ format: EncodedFormat
    ) throws {
        let data = try encoded(pattern(400, 300, clear: true), format)
        let size = PixelSize(width: 60, height: 45)
        func reduce(_ size: PixelSize, _ limits: DecodeLimits) throws -> Bitmap {
            try EncodedImage(data, limits: limits, mayBeReduced: true).decode(resizedTo: size)
        }
        let stored = DecodeLimits { ($0.pixelsPerFrame, $0.storedPixelsPerFrame) = (100_000, 119_999) }
        #expect(throws: CodecError.limitExceeded(.pixels, value: 120_000, limit: 119_999)) {
            try reduce(size, stored)
        }
        let late = DecodeLimits { ($0.pixelsPerFrame, $0.seconds) = (100_000, 0) }
        #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) { try reduce(size, late) }
        let few = DecodeLimits { $0.pixelsPerFrame = 100_000 }
        #expect(throws: CodecError.self) { try reduce(PixelSize(width: 399, height: 299), few) }
    }

    @Test func `an oversized image is turned upright like any other`() throws {
        let data = Data(try Fixture.data("made/turned.png"))
        let whole = try Image(decoding: data)
        let size = PixelSize(width: whole.pixelSize.width / 2, height: whole.pixelSize.height / 2)
        let usual = try EncodedImage(data, limits: DecodeLimits()).decode(resizedTo: size)
        let limits = DecodeLimits { $0.pixelsPerFrame = whole.pixelSize.area - 1 }
        let small = try EncodedImage(data, limits: limits, mayBeReduced: true).decode(resizedTo: size)
        let isEqual = small.hasSamePixels(as: usual)
        #expect(isEqual)
    }

    @Test(arguments: ["made/animated.webp", "gif/fire.gif", "made/animated-over.png"])
    func `an oversized animation is rejected`(_ path: String) throws {
        let data = Data(try Fixture.data(path))
        let area = try Image(decoding: data).pixelSize.area
        let limits = DecodeLimits { $0.pixelsPerFrame = area - 1 }
        #expect(throws: CodecError.limitExceeded(.pixels, value: area, limit: area - 1)) {
            try EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true)
        }
    }
}
