import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

struct `Pixels of other libraries` {
    let rgba: [UInt8] = [200, 100, 50, 128, 0, 0, 0, 0, 9, 9, 9, 9, 10, 20, 30, 255, 255, 0, 0, 255]

    private func image(
        _ size: PixelSize,
        _ layout: PixelLayout,
        _ bytesPerRow: Int,
        scale: CGFloat = 1
    ) throws -> Image {
        try Image(
            pixels: rgba.span.bytes, size: size, layout: layout, bytesPerRow: bytesPerRow, scale: scale)
    }

    @Test func `pixels of other libraries become an image, whatever their layout`() throws {
        let size = PixelSize(width: 2, height: 2)
        let straight = try image(size, PixelLayout(.rgba, .straight), 12, scale: 2)
        #expect(straight.size == CGSize(width: 1, height: 1))
        #expect(try straight.bitmap().pixel(0, 0) == [25, 50, 100, 128])
        #expect(try straight.bitmap().pixel(1, 0) == [0, 0, 0, 0])
        #expect(try straight.bitmap().pixel(1, 1) == [0, 0, 255, 255])
        let opaque = try image(size, PixelLayout(.bgra, .opaque), 12)
        #expect(try opaque.bitmap().pixel(0, 0) == [200, 100, 50, 255])
        #expect(try opaque.bitmap().alpha == .opaque)
    }

    @Test func `pixels are rejected where there are too few`() {
        let layout = PixelLayout(.rgba, .straight)
        for (width, height, stride) in [(2, 2, 13), (2, 3, 8), (3, 2, 8), (0, 1, 8), (1, Int.max, 8)] {
            #expect(throws: CodecError.self) {
                try image(PixelSize(width: width, height: height), layout, stride)
            }
        }
    }

    @Test func `pixels of an image come out again in any layout`() throws {
        let image = Image(bitmap: try Sample.bitmap(2, 1, bgra: [25, 50, 100, 128], alpha: .premultiplied))
        #expect(try image.pixels(in: PixelLayout(.rgba, .straight)).prefix(4) == [199, 100, 50, 128])
        #expect(try image.pixels(in: PixelLayout(.rgba, .premultiplied)).prefix(4) == [100, 50, 25, 128])
        let sum = image.withPixels { bytes, size in
            bytes.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
        }
        #expect(sum == 2 * (25 + 50 + 100 + 128))
    }
}

struct `CoreGraphics' names` {
    @Test func `an image of pixels is turned when an orientation is given`() throws {
        let bytes = try Fixture.data("made/alpha.png")
        let bitmap = try CodecRegistry.shared.decode(bytes.span.bytes)
        let image = Image(cgImage: bitmap, scale: 2, orientation: .right)
        #expect(image.pixelSize == bitmap.size.transposed && image.imageOrientation == .up)
        let turned = try #require(image.cgImage)
        #expect(turned.pixel(bitmap.height - 1, 0) == bitmap.pixel(0, 0))
        #expect(image.kf.normalized === image)
        #expect(Image(cgImage: bitmap).cgImage === bitmap)
        #expect(bitmap.bitsPerPixel == 32 && bitmap.bitsPerComponent == 8)
    }

    @Test func `colours and rectangles of CoreGraphics and of the canvas are the same`() {
        let color = Color(red: 0.25, green: 0.5, blue: 0.75, alpha: 0.5)
        #expect(Color(RasterColor(color)) == color)
        #expect(RasterColor(color).blue == 0.75)
        let rect = CGRect(x: 1.5, y: -2, width: 30, height: 0.25)
        #expect(CGRect(PixelRect(rect)) == rect)
        // As it is, not standardized.
        let reversed = CGRect(x: 10, y: 10, width: -4, height: -6)
        #expect(PixelRect(reversed) == PixelRect(x: 10, y: 10, width: -4, height: -6))
    }

    @Test func `a part of a bitmap is cut out, as far as there is one`() throws {
        let bytes = try Fixture.data("made/alpha.png")
        let bitmap = try CodecRegistry.shared.decode(bytes.span.bytes)
        let part = try #require(bitmap.cropping(to: CGRect(x: 50, y: -5, width: 100, height: 10)))
        #expect(part.size == PixelSize(width: 11, height: 5))
        #expect(part.pixel(0, 0) == bitmap.pixel(50, 0))
        #expect(bitmap.cropping(to: CGRect(x: 61, y: 0, width: 1, height: 1)) == nil)
    }

    @Test func `a CGImageSource gives frames`() throws {
        let data = Data(try Fixture.data("gif/fire.gif"))
        let source = try #require(CGImageSourceCreateWithData(data, nil))
        #expect(CGImageSourceGetCount(source) == (try Image(decoding: data).frameCount))
        #expect(CGImageSourceCreateImageAtIndex(source, 3, nil) != nil)
        #expect(GIFAnimatedImage.getFrameDuration(from: source, at: 3) == source.duration(at: 3))
        #expect(CGImageSourceCreateWithData(Data([1, 2, 3]), nil) == nil)
    }

    @Test func `an image is drawn on a CGContext`() throws {
        let context = try #require(CGContext(width: 4, height: 4))
        let image = Image(bitmap: try Sample.bitmap(2, 2, bgra: [1, 2, 3, 255]), scale: 2)
        let drawn = image.kf.decoded(on: context)
        #expect(drawn.pixelSize == PixelSize(width: 4, height: 4) && drawn.scale == 2)
        #expect(try drawn.bitmap().pixel(3, 3) == [1, 2, 3, 255])
        context.draw(
            try Sample.bitmap(1, 1, bgra: [9, 9, 9, 255]), in: CGRect(x: 0, y: 0, width: 1, height: 1))
        #expect(context.makeImage()?.pixel(0, 0) == [9, 9, 9, 255])
        #expect(context.makeImage()?.pixel(1, 1) == [1, 2, 3, 255])
        #expect(CGContext(width: 0, height: 4) == nil)
    }
}

struct `A JPEG's markers` {
    @Test func `a JPEG's markers are found`() throws {
        let progressive = Data(try Fixture.data("made/progressive.jpg"))
        let baseline = Data(try Fixture.data("made/restart.jpg"))
        #expect(progressive.kf.contains(jpeg: .SOF2) && !progressive.kf.contains(jpeg: .SOF0))
        #expect(baseline.kf.contains(jpeg: .SOF0) && !baseline.kf.contains(jpeg: .SOF2))
        #expect(baseline.kf.contains(jpeg: .DRI) && !progressive.kf.contains(jpeg: .DRI))
        #expect(baseline.kf.contains(jpeg: .RSTn(7)) && !progressive.kf.contains(jpeg: .RSTn(0)))
        for marker: ImageFormat.JPEGMarker in [.DHT, .DQT, .SOS, .APPn, .EOI] {
            #expect(baseline.kf.contains(jpeg: marker))
        }
        #expect(!baseline.kf.contains(jpeg: .COM))
        #expect(!Data(try Fixture.data("made/alpha.png")).kf.contains(jpeg: .EOI))
        #expect(!Data().kf.contains(jpeg: .EOI))
    }
}

struct `A downsampled image` {
    @Test func `a downsampled image is no longer than the longer side, and never enlarged`() throws {
        let data = Data(try Fixture.data("exif-orientation/Landscape_6.jpg"))
        let image = try #require(
            KingfisherWrapper<Image>
                .downsampledImage(data: data, to: CGSize(width: 50, height: 90), scale: 2))
        #expect(image.pixelSize == PixelSize(width: 180, height: 120) && image.scale == 2)
        let small = Data(try Sample.png(8, 4))
        let same = KingfisherWrapper<Image>
            .downsampledImage(data: small, to: CGSize(width: 50, height: 90), scale: 2)
        #expect(same?.pixelSize == PixelSize(width: 8, height: 4))
        // A view that has no layout yet.
        let all = KingfisherWrapper<Image>.downsampledImage(data: small, to: .zero, scale: 1)
        #expect(all?.pixelSize == PixelSize(width: 8, height: 4))
    }

    /// Three eighths of four pixels are as many as four eighths, rounded up.
    @Test func `a downsampled image is not shifted where several eighths of it have one size`() throws {
        let side = 4
        let bytes = (0..<side * side).flatMap { index in
            [UInt8](repeating: index % side < side / 2 ? 0 : 255, count: 3) + [255]
        }
        let size = PixelSize(width: side, height: side)
        let image = try Image(pixels: bytes.span.bytes, size: size, layout: PixelLayout(.bgra, .opaque))
        let data = try #require(image.kf.jpegRepresentation(compressionQuality: 1))
        let small = try #require(
            KingfisherWrapper<Image>.downsampledImage(
                data: data, to: CGSize(width: 1, height: 1), scale: 1))
        let pixel = try small.pixels(in: PixelLayout(.bgra, .opaque))
        #expect(small.pixelSize == PixelSize(width: 1, height: 1))
        #expect(abs(Int(pixel[1]) - 127) <= 4)
    }
}
