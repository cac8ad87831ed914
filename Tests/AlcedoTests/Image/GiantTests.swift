import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `A giant photograph` {
    /// One grey, in as many units of 16 by 16 pixels as it takes; each unit's codes are twelve bits of 0.
    static func jpeg(_ width: Int, _ height: Int) throws -> Data {
        var bytes = try CodecRegistry.shared.encode(
            Sample.bitmap(16, 16, bgra: [128, 128, 128, 255]), as: .jpeg,
            options: EncodeOptions { $0.quality = 0.5 })
        let frame = try #require(bytes.firstRange(of: [0xFF, 0xC0])).lowerBound
        bytes.replaceSubrange(
            frame + 5..<frame + 9,
            with: [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) })
        let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
        let start = scan + 2 + Int(bytes[scan + 2]) << 8 + Int(bytes[scan + 3])
        #expect(Array(bytes[start...]) == [0, 0x0F, 0xFF, 0xD9])
        let units = ((width + 15) / 16) * ((height + 15) / 16)
        // Ones fill the last byte.
        let codes = [UInt8](repeating: 0, count: units * 12 / 8) + (units % 2 == 0 ? [] : [0x0F])
        return Data(bytes[..<start] + codes + [0xFF, 0xD9])
    }

    private func downsample(_ data: Data, to side: Int, _ limits: DecodeLimits = .init()) -> Image? {
        DownsamplingImageProcessor(size: CGSize(width: side, height: side))
            .process(item: .data(data), options: KingfisherParsedOptionsInfo([.decodeLimits(limits)]))
    }

    @Test func `a giant photograph is decoded to a part of its size, and rejected as a whole`() throws {
        let data = try Self.jpeg(9600, 6800)
        let small = try #require(downsample(data, to: 300))
        #expect(small.pixelSize == PixelSize(width: 300, height: 213))
        let bytes = try small.bitmap().withUnsafeBytes { Array($0) }
        let other = bytes.indices.first { bytes[$0] != ($0 % 4 == 3 ? 255 : 128) }
        #expect(other == nil)
        let refusal = CodecError.limitExceeded(.pixels, value: 65_280_000, limit: 50_000_000)
        #expect(throws: refusal) { try Image(decoding: data) }
        #expect(DefaultImageProcessor.default.process(item: .data(data), options: .init(nil)) == nil)
        #expect(downsample(data, to: 9600) == nil)
        #expect(downsample(data, to: 9000) == nil)
    }

    @Test(arguments: ["made/scalable.jpg", "made/lossy.webp"])
    func `the limit on pixels counts what is made of a photograph, not all that is stored`(_ path: String)
        throws
    {
        let data = Data(try Fixture.data(path))
        let size = try Image(decoding: data).pixelSize
        let limits = DecodeLimits { $0.pixelsPerFrame = size.area / 4 }
        let small = try #require(downsample(data, to: size.width / 10, limits))
        let usual = try #require(downsample(data, to: size.width / 10))
        let isEqual = try small.bitmap().hasSamePixels(as: usual.bitmap())
        #expect(isEqual)
        #expect(throws: CodecError.limitExceeded(.pixels, value: size.area, limit: size.area / 4)) {
            try Image(decoding: data, limits: limits)
        }
        #expect(downsample(data, to: size.width, limits) == nil)
        #expect(downsample(data, to: size.width * 9 / 10, limits) == nil)
    }

    @Test(arguments: ["made/animated.webp", "made/animated-over.png", "gif/fire.gif"])
    func `a giant animation is rejected, as its frames are made whole on the way`(_ path: String) throws {
        let data = Data(try Fixture.data(path))
        let area = try Image(decoding: data).pixelSize.area
        #expect(downsample(data, to: 8, DecodeLimits { $0.pixelsPerFrame = area - 1 }) == nil)
        #expect(downsample(data, to: 8, DecodeLimits { $0.pixelsPerFrame = area }) != nil)
    }
}

struct `A picture of a few pixels` {
    @Test(arguments: [(5, 5), (7, 40), (12, 9), (3, 100), (20, 63)])
    func `a tiny picture is reduced without what a JPEG is padded with`(_ width: Int, _ height: Int) throws {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            // The last column, which encoders repeat, is white.
            for index in bytes.indices {
                bytes[index] = index / 4 % width == width - 1 || index % 4 == 3 ? 255 : 0
            }
        }
        let data = Data(
            try CodecRegistry.shared.encode(
                builder.freeze(), as: .jpeg, options: EncodeOptions { $0.quality = 1 }))
        let whole = try Image(decoding: data).bitmap()
        let size = PixelSize(width: max(1, width / 5), height: max(1, height / 5))
        let reduced = try Image(decoding: data).pixels(resizedTo: size)
        let exact = try whole.resized(to: size)
        let one = reduced.withUnsafeBytes { Array($0) }, other = exact.withUnsafeBytes { Array($0) }
        let difference = zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(difference <= 3)
    }
}

struct `A file that lacks only its end` {
    @Test(arguments: [("made/progressive.jpg", 2), ("made/sampling-420.jpg", 2), ("made/alpha.png", 12)])
    func `a file that lacks only its end is an image`(_ path: String, _ missing: Int) throws {
        let bytes = try Fixture.data(path)
        let whole = try Image(decoding: Data(bytes)).bitmap()
        let isEqual = try Image(decoding: Data(bytes.dropLast(missing))).bitmap().hasSamePixels(as: whole)
        #expect(isEqual)
        #expect(throws: CodecError.self) { try Image(decoding: Data(bytes.dropLast(missing + 8))) }
    }

    @Test func `an animation with a damaged frame shows its still image if all frames are wanted`() throws {
        var bytes = try Fixture.data("made/animated-over.png")
        bytes[try #require(bytes.lastRange(of: Array("fdAT".utf8))).upperBound + 30] ^= 1
        let image = try Image.make(of: Data(bytes), options: ImageCreatingOptions(preloadAll: true))
        #expect(image.images == nil)
        let isEqual = try image.bitmap().hasSamePixels(as: Image(decoding: Data(bytes)).bitmap())
        #expect(isEqual)
    }
}

extension [UInt8] {
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        indices.reversed().first { self[$0...].starts(with: other) }.map { $0..<$0 + other.count }
    }
}
