import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

struct `Processors of colours and places` {
    private let options = KingfisherParsedOptionsInfo(nil)
    private let twofold = KingfisherParsedOptionsInfo([.scaleFactor(2)])

    private func image(_ width: Int = 40, _ height: Int = 40) throws -> Image {
        Image(bitmap: try Sample.bitmap(width, height))
    }

    @Test func `an overlay mixes the image with its colour`() throws {
        let processor = OverlayImageProcessor(overlay: .black, fraction: 0.25)
        let result = try #require(processor.process(item: .image(try image()), options: options))
        #expect(try result.bitmap().pixel(3, 3) == [10, 30, 50, 255])
        let solid = OverlayImageProcessor(overlay: .red, fraction: 0)
        let red = try #require(solid.process(item: .image(try image()), options: options))
        #expect(try red.bitmap().pixel(3, 3) == [0, 0, 255, 255])
        let untouched = OverlayImageProcessor(overlay: .red, fraction: 1)
        let same = try #require(untouched.process(item: .image(try image()), options: options))
        #expect(try same.bitmap().pixel(3, 3) == [40, 120, 200, 255])
    }

    @Test func `a tint lies over the image`() throws {
        let processor = TintImageProcessor(tint: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
        let result = try #require(processor.process(item: .image(try image()), options: options))
        #expect(try result.bitmap().pixel(3, 3) == [20, 60, 228, 255])
        let opaque = TintImageProcessor(tint: .blue)
        let blue = try #require(opaque.process(item: .image(try image()), options: options))
        #expect(try blue.bitmap().pixel(39, 39) == [255, 0, 0, 255])
    }

    @Test func `black and white makes an image grey, and colour controls without change do nothing`() throws {
        let grey = try #require(BlackWhiteProcessor().process(item: .image(try image()), options: options))
        let pixel = try grey.bitmap().pixel(3, 3)
        #expect(pixel[0] == pixel[1] && pixel[1] == pixel[2] && pixel[3] == 255)
        let controls = ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 1, inputEV: 0)
        let same = try #require(controls.process(item: .image(try image()), options: options))
        #expect(try same.bitmap().pixel(3, 3) == [40, 120, 200, 255])
    }

    @Test(arguments: [
        (CGSize(width: 20, height: 10), CGPoint(x: 0.5, y: 0.5), (20, 10)),
        (CGSize(width: 100, height: 10), CGPoint(x: 0, y: 3), (40, 10)),
        (CGSize(width: CGFloat.infinity, height: 1), CGPoint(x: CGFloat.nan, y: -1), (40, 1)),
        (CGSize(width: 0.1, height: 0.4), CGPoint(x: 1, y: 1), (1, 1)),
    ])
    func `cropping takes what lies inside the image`(
        _ size: CGSize, _ anchor: CGPoint, _ expected: (Int, Int)
    ) throws {
        let processor = CroppingImageProcessor(size: size, anchor: anchor)
        let result = try #require(processor.process(item: .image(try image()), options: options))
        #expect(result.pixelSize == PixelSize(width: expected.0, height: expected.1))
    }

    @Test func `cropping to nothing makes no image`() throws {
        for side in [0, -1, CGFloat.nan] {
            let processor = CroppingImageProcessor(size: CGSize(width: side, height: 4))
            #expect(processor.process(item: .image(try image()), options: options) == nil)
        }
    }

    @Test func `sizes and radii of processors are in points`() throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 10, height: 5), anchor: CGPoint(x: 1, y: 0))
        let part = try #require(crop.process(item: .image(try image()), options: twofold))
        #expect(part.pixelSize == PixelSize(width: 20, height: 10) && part.scale == 2)

        let blur = BlurImageProcessor(blurRadius: 3)
        let blurred = try #require(blur.process(item: .image(try image()), options: twofold))
        let twice = BlurImageProcessor(blurRadius: 6)
        let same = try #require(twice.process(item: .image(try image()), options: options))
        #expect(blurred.scale == 2 && same.scale == 1)
        #expect(try blurred.bitmap().pixel(0, 9) == same.bitmap().pixel(0, 9))
    }

    @Test(arguments: [0, -1, CGFloat.nan, -CGFloat.infinity])
    func `a blur without radius changes nothing`(_ radius: CGFloat) throws {
        let image = try image()
        let result = BlurImageProcessor(blurRadius: radius).process(item: .image(image), options: options)
        #expect(result === image)
    }
}
