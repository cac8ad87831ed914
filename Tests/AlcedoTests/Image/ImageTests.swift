import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `An image` {
    @Test func `an image has points, pixels and a scale`() throws {
        let image = try Image(decoding: Data(Sample.png(30, 20)), scale: 2)
        #expect(image.size == CGSize(width: 15, height: 10))
        #expect(image.pixelSize == PixelSize(width: 30, height: 20))
    }

    @Test(arguments: 1...8)
    func `an image stands upright whatever its orientation`(_ orientation: Int) throws {
        let upright = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_1.jpg")))
        let image = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_\(orientation).jpg")))
        #expect(image.pixelSize == PixelSize(width: 1800, height: 1200))
        let difference = try meanDifference(image.thumbnail(), upright.thumbnail())
        #expect(difference < 2)
    }

    @Test func `an image decodes once and shares its pixels with copies at other scales`() throws {
        let image = try Image(decoding: Data(Sample.png(8, 8)))
        let bitmap = try image.kf.decoded.bitmap()
        #expect(try image.bitmap() === bitmap)
        #expect(try image.kf.scaled(to: 3).bitmap() === bitmap)
    }

    @Test func `an image shares pixels that are decoded later with its copies, too`() throws {
        let image = try Image(decoding: Data(Sample.png(8, 8)))
        let copy = image.kf.scaled(to: 3)
        #expect(try copy.bitmap() === image.bitmap())
    }

    @Test func `an image is one bitmap to all threads that decode it at the same time`() async throws {
        let image = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_1.jpg")))
        let (gate, bitmaps) = (Gate(), Recorder<Bitmap?>())
        for _ in 1...4 {
            Thread {
                gate.wait()
                bitmaps.append(try? image.bitmap())
            }.start()
        }
        await gate.waitForArrivals(4)
        gate.open()
        await bitmaps.waitFor(count: 4)
        let first = try image.bitmap()
        #expect(bitmaps.values.map { $0 === first } == [true, true, true, true])
    }

    @Test func `an image is not made of what is no image, cut short or too large`() throws {
        #expect(throws: CodecError.unknownFormat) { try Image(decoding: Data("nothing at all".utf8)) }
        #expect(throws: CodecError.unknownFormat) { try Image(decoding: Data()) }
        let png = try Sample.png(100, 100)
        #expect(throws: CodecError.truncated(.png)) { try Image(decoding: Data(png.dropLast(20))) }
        let limits = DecodeLimits { $0.pixelsPerFrame = 9_999 }
        #expect(throws: CodecError.limitExceeded(.pixels, value: 10_000, limit: 9_999)) {
            try Image(decoding: Data(png), limits: limits)
        }
        #expect(Image(data: Data([1])) == nil)
    }

    @Test func `an image that is written in its own format is byte for byte what it was`() throws {
        let bytes = Data(try Sample.jpeg(16, 16))
        #expect(try Image(decoding: bytes).data(as: .jpeg) == bytes)
    }

    @Test(arguments: [EncodedFormat.jpeg, .webp])
    func `an image is encoded again in its own format when a quality is given`(format: EncodedFormat) throws {
        let photograph = try Image(decoding: Data(Fixture.data("jpeg/testorig.jpg")))
        let bytes = try Image(bitmap: photograph.bitmap()).data(as: format)
        let image = try Image(decoding: bytes)
        let small = try image.data(as: format, options: EncodeOptions { $0.quality = 0.1 })
        #expect(small.count < bytes.count / 2)
    }

    @Test func `a JPEG is its own best JPEG, and a smaller one at a lower quality`() throws {
        let bytes = Data(try Fixture.data("jpeg/testorig.jpg"))
        let image = try Image(decoding: bytes)
        #expect(image.kf.jpegRepresentation(compressionQuality: 1) == bytes)
        #expect(image.kf.data(format: .JPEG) == bytes)
        let small = try #require(image.kf.jpegRepresentation(compressionQuality: 0.3))
        #expect(small.count < bytes.count)
        #expect(try Image(decoding: small).pixelSize == image.pixelSize)
    }

    @Test func `an image stays what it was in a format without a quality`() throws {
        let gif = Data(try Fixture.data("gif/fire.gif"))
        #expect(try Image(decoding: gif).kf.data(format: .GIF, compressionQuality: 0.5) == gif)
    }

    @Test func `an image changes between lossless formats with every pixel, clear ones included`() throws {
        let pixels: [UInt8] = [200, 100, 50, 3]
        let bitmap = try Sample.bitmap(5, 3, bgra: pixels, alpha: .straight)
        let png = Data(try CodecRegistry.shared.encode(bitmap, as: .png, options: EncodeOptions()))
        let webp = try Image(decoding: png).data(as: .webp, options: EncodeOptions { $0.isLossless = true })
        let back = try CodecRegistry.shared.decode(
            Array(webp).span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
        #expect(back.pixel(2, 1) == pixels)
    }

    @Test func `an image's format is told by the first bytes`() throws {
        #expect(Data(try Sample.png(1, 1)).kf.imageFormat == .PNG)
        #expect(Data(try Sample.jpeg(1, 1)).kf.imageFormat == .JPEG)
        #expect(Data(try Fixture.data("gif/fire.gif")).kf.imageFormat == .GIF)
        #expect(Data("GIF89a".utf8).kf.imageFormat == .unknown)
    }
}

extension Image {
    fileprivate func thumbnail() throws -> Bitmap {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 90, height: 90))
        return try #require(
            processor.process(item: .image(self), options: KingfisherParsedOptionsInfo(nil))
        ).bitmap()
    }
}

private func meanDifference(_ left: Bitmap, _ right: Bitmap) -> Double {
    left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            let sum = zip(left, right).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            return Double(sum) / Double(left.count)
        }
    }
}

extension `An image` {
    @Test func `an image is equal to itself only, and can be a key`() throws {
        let data = Data(try Sample.png(4, 4))
        let (one, other) = (try Image(decoding: data), try Image(decoding: data))
        #expect(one == one && one != other && one != one.kf.scaled(to: 2))
        #expect(Set([one, other, one]).count == 2)
    }

    @Test func `an empty image has no pixels, and nothing is made of it`() async throws {
        let empty = Image()
        #expect(empty.size == .zero && empty.frameCount == 1 && empty.info == nil)
        #expect(throws: CodecError.unknownFormat) { try empty.bitmap() }
        #expect(empty.kf.pngRepresentation() == nil && empty.kf.decoded === empty)
        let size = CGSize(width: 4, height: 4)
        let processors: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: size),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill),
            CroppingImageProcessor(size: size), RoundCornerImageProcessor(cornerRadius: 2),
            BlurImageProcessor(blurRadius: 2), TintImageProcessor(tint: .red),
            BorderImageProcessor(border: Border()),
        ]
        for processor in processors {
            let result = processor.process(item: .image(empty), options: KingfisherParsedOptionsInfo(nil))
            #expect(result == nil || result === empty)
        }
        let cache = ImageCache(name: "empty \(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: cache.diskStorage.directoryURL) }
        let error = await kingfisherError { try await cache.store(empty, forKey: "a") }
        #expect(error?.errorCode == 3008)
    }
}
