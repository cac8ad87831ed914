import AlcedoCodecs
import AlcedoRaster
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A deep image` {
    private let size = PixelSize(width: 60, height: 40)
    private let bitmap: Bitmap
    private let png: Data
    private let limits = DecodeLimits(colorRetention: .full)

    init() throws {
        bitmap = try Sample.deepBitmap(60, 40)
        png = Data(try Sample.deepPNG(60, 40))
    }

    private func image() throws -> Image { try Image(decoding: png, limits: limits) }

    @Test func `a deep image has the depth and colour space of its bytes, if they are wanted`() throws {
        #expect(try image().bitmap().hasSamePixels(as: bitmap))
        #expect(bitmap.bitsPerPixel == 64 && bitmap.bitsPerComponent == 16)
        let standard = try Image(decoding: png)
        #expect(try !standard.bitmap().isDeep)
        let pixels = try image().withPixels { bytes, _ in bytes.copy(0..<bytes.byteCount) }
        #expect(pixels == standard.withPixels { bytes, _ in bytes.copy(0..<bytes.byteCount) })
        let layout = PixelLayout(.rgba, .straight)
        #expect(try image().pixels(in: layout) == standard.pixels(in: layout))
    }

    @Test func `a deep image is shown in 8 bits, which are kept beside it and charged`() throws {
        let image = try image()
        let deepCost = png.count + bitmap.storage.count
        _ = image.kf.decoded
        #expect(image.cacheCost == deepCost && image.pixelCost == bitmap.storage.count)
        #expect(image.pixels(drawnAt: nil) == nil)
        let shown = try image.decodedPixels(drawnAt: nil)
        #expect(try shown.hasSamePixels(as: bitmap.standard()))
        #expect(image.pixels(drawnAt: nil) === shown)
        #expect(image.cacheCost == deepCost + shown.byteCount)
        let small = try self.image().decodedPixels(drawnAt: PixelSize(width: 6, height: 4))
        #expect(!small.isDeep && small.width == 6)
    }

    @Test func `a deep image in a memory cache is charged for what is shown of it`() throws {
        let storage = MemoryStorage.Backend<Image>(config: .init(totalCostLimit: 1 << 20, cleanInterval: 0))
        let image = Image(bitmap: bitmap)
        storage.store(value: image, forKey: "a")
        #expect(storage.totalCacheCost() == bitmap.memoryCount)
        let shown = try image.decodedPixels(drawnAt: nil)
        #expect(storage.totalCacheCost() == bitmap.memoryCount + shown.byteCount)
    }

    @Test func `a deep image stays deep where its geometry changes`() throws {
        let target = PixelSize(width: 30, height: 25)
        let resized = image(try image().kf.resize(to: CGSize(width: 30, height: 25)))
        #expect(try resized.hasSamePixels(as: bitmap.resized(to: target)))
        let cropped = image(try image().kf.crop(to: CGSize(width: 10, height: 10), anchorOn: .zero))
        #expect(try cropped.hasSamePixels(as: bitmap.cropped(x: 0, y: 0, width: 10, height: 10)))
        #expect(try image().pixels(resizedTo: target).hasSamePixels(as: bitmap.resized(to: target)))
        let turned = Image(bitmap: bitmap, orientation: .right, scale: 1)
        #expect(try turned.bitmap().hasSamePixels(as: bitmap.oriented(.right)))
    }

    private func image(_ image: Image) -> Bitmap { image.decodedBitmap ?? bitmap }

    @Test func `a deep image stays deep where its colours change`() throws {
        let blurred = image(try image().kf.blurred(withRadius: 2))
        #expect(try blurred.hasSamePixels(as: bitmap.blurred(radius: 2)))
        let tinted = image(try image().kf.tinted(with: .red))
        #expect(tinted.isDeep && tinted.colorSpace == bitmap.colorSpace)
    }

    @Test func `a deep image is encoded as it is, also once it is processed`() throws {
        let resized = try image().kf.resize(to: CGSize(width: 30, height: 25))
        let again = try Image(decoding: resized.data(as: .png), limits: limits)
        #expect(try again.bitmap().hasSamePixels(as: image(resized)))
        let jpeg = try Image(decoding: resized.data(as: .jpeg), limits: limits)
        #expect(try jpeg.bitmap().colorSpace == .icc(#require(ColorSpace.displayP3.profile)))
    }

    @Test func `a deep image is reserved at eight bytes a pixel`() throws {
        let encoded = try #require(image().encoded)
        #expect(encoded.cost(DecodeOptions(limits: limits)) == size.area * 8)
        let target = PixelSize(width: 20, height: 20)
        #expect(
            encoded.cost(DecodeOptions(limits: limits), resizedTo: target) == (size.area + target.area) * 8)
        let standard = try #require(Image(decoding: png).encoded)
        #expect(standard.cost(DecodeOptions()) == size.area * 8, "the rows of the file have as many bytes")
    }

    @Test func `a deep image that is too large to be decoded whole is reduced in 8 bits`() throws {
        var limits = limits
        limits.pixelsPerFrame = size.area - 1
        let encoded = try EncodedImage(png, limits: limits, mayBeReduced: true)
        let reduced = try encoded.decode(resizedTo: PixelSize(width: 15, height: 10))
        #expect(!reduced.isDeep)
        #expect(reduced.width == 15)
    }
}
