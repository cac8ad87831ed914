import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

private let options = KingfisherParsedOptionsInfo(nil)
private let twofold = KingfisherParsedOptionsInfo([.scaleFactor(2)])

private func sample(_ width: Int = 40, _ height: Int = 20, scale: CGFloat = 1) throws -> Image {
    Image(bitmap: try Sample.bitmap(width, height), scale: scale)
}

struct `A filter that is there already` {
    @Test func `the tint filter tints as the processor does`() throws {
        let color = Color(red: 1, green: 0, blue: 0, alpha: 0.3)
        let expected = TintImageProcessor(tint: color).process(item: .image(try sample()), options: options)
        let result = try sample().kf.apply(Filter.tint(color))
        #expect(try result.bitmap().pixel(0, 0) == expected?.bitmap().pixel(0, 0))
    }

    @Test func `the colour control filter controls colours as the processor does`() throws {
        let processor = ColorControlsProcessor(brightness: 0.1, contrast: 1.2, saturation: 0.5, inputEV: 0.3)
        let expected = processor.process(item: .image(try sample()), options: options)
        let result = try sample().kf.apply(Filter.colorControl((0.1, 1.2, 0.5, 0.3)))
        #expect(try result.bitmap().pixel(0, 0) == expected?.bitmap().pixel(0, 0))
    }

    @Test func `a filter is made of a transformer`() throws {
        let half: Transformer = { try? $0.cropped(x: 0, y: 0, width: 20, height: 20) }
        #expect(try sample().kf.apply(Filter(transform: half)).pixelSize == PixelSize(width: 20, height: 20))
    }
}

struct `Blending and borders` {
    @Test func `blending puts an image on the background in a mode`() throws {
        let processor = BlendImageProcessor(blendMode: .multiply, backgroundColor: Color(white: 0.5))
        let result = try #require(processor.process(item: .image(try sample()), options: options))
        #expect(try result.bitmap().pixel(0, 0) == [20, 60, 100, 255])
        let faint = BlendImageProcessor(blendMode: .normal, alpha: 0.5)
        let half = try #require(faint.process(item: .image(try sample()), options: options))
        #expect(try half.bitmap().pixel(0, 0) == [20, 60, 100, 128])
    }

    @Test func `a blend mode has CoreGraphics' number`() {
        #expect(CGBlendMode.normal.rawValue == 0 && CGBlendMode.luminosity.rawValue == 15)
        #expect(CGBlendMode.clear.rawValue == 16 && CGBlendMode.plusLighter.rawValue == 27)
        #expect(CGBlendMode.allCases.count == 28)
    }

    @Test func `a border is in points of the image's own scale`() throws {
        let processor = BorderImageProcessor(border: Border(color: .red, lineWidth: 2))
        for scale in [1, 2] as [CGFloat] {
            let image = try sample(scale: scale)
            let result = try #require(processor.process(item: .image(image), options: twofold))
            #expect(result.scale == scale && result.pixelSize == image.pixelSize)
            let inner = Int(2 * scale)
            #expect(try result.bitmap().pixel(20, inner - 1) == [0, 0, 255, 255])
            #expect(try result.bitmap().pixel(20, inner) == [40, 120, 200, 255])
        }
        let data = try #require(
            processor.process(item: .data(Data(try Sample.png(8, 8))), options: twofold))
        #expect(data.scale == 2)
    }

    @Test func `identifiers of blending and borders name every parameter`() {
        let blend = BlendImageProcessor(blendMode: .hardLight, alpha: 0.5, backgroundColor: .red)
        #expect(
            blend.identifier == "com.onevcat.Kingfisher.BlendImageProcessor(9,0.5)_(1.00,0.00,0.00,1.00)")
        #expect(
            BlendImageProcessor(blendMode: .xor).identifier
                == "com.onevcat.Kingfisher.BlendImageProcessor(25,1.0)")
        let border = Border(
            color: .orange, lineWidth: 1.5, radius: .widthFraction(0.25), roundingCorners: [.topRight])
        #expect(
            BorderImageProcessor(border: border).identifier
                == "com.onevcat.Kingfisher.BorderImageProcessor(Border(color: UIExtendedSRGBColorSpace 1 0.5 0 1, "
                + "lineWidth: 1.5, radius: Kingfisher.Radius.widthFraction(0.25), "
                + "roundingCorners: Kingfisher.RectCorner(rawValue: 2))")
    }
}

struct `Filters` {
    private struct Inverter: CIImageProcessor {
        let identifier = "inverter"
        let filter = Filter { bitmap in
            try? bitmap.edited { pixels in
                for index in pixels.indices {
                    let alpha = pixels[index].w
                    pixels[index] = SIMD4(repeating: alpha) &- pixels[index]
                    pixels[index].w = alpha
                }
            }
        }
    }

    @Test func `a closure from pixels to pixels is a processor`() throws {
        let data = Data(try Sample.png(6, 4))
        let result = try #require(Inverter().process(item: .data(data), options: twofold))
        #expect(result.scale == 2 && result.pixelSize == PixelSize(width: 6, height: 4))
        #expect(try result.bitmap().pixel(5, 3) == [215, 135, 55, 255])
        #expect(Inverter().process(item: .data(Data([1, 2, 3])), options: options) == nil)
    }

    @Test func `a filter may build on what bitmaps can do, or fail`() throws {
        let image = try sample(scale: 2)
        let small = image.kf.apply(
            Filter { try? $0.cropped(x: 0, y: 0, width: 2, height: 2).blurred(radius: 2) })
        #expect(small.pixelSize == PixelSize(width: 2, height: 2) && small.scale == 2)
        #expect(image.kf.apply(Filter { _ in nil }) === image)
        #expect(image.kf.apply(Filter { $0 }) === image)
    }
}

struct `Drawing on an image` {
    @Test func `drawing on an image keeps the scale`() throws {
        let image = try sample(scale: 2)
        let drawn = [
            image.kf.image(withBlendMode: .screen, backgroundColor: .gray),
            image.kf.image(withRoundRadius: 3, fit: image.size),
            image.kf.image(withRadius: .heightFraction(0.5), fit: image.size, backgroundColor: .white),
            image.kf.resize(to: CGSize(width: 7, height: 5)),
            image.kf.resize(to: CGSize(width: 7, height: 5), for: .aspectFill),
            image.kf.crop(to: CGSize(width: 3, height: 3), anchorOn: CGPoint(x: 1, y: 0)),
            image.kf.blurred(withRadius: 3), image.kf.addingBorder(Border()),
            image.kf.overlaying(with: .red, fraction: 0.3), image.kf.tinted(with: .green),
            image.kf.adjusted(brightness: 0.1, contrast: 1, saturation: 1, inputEV: 0),
        ]
        for result in drawn { #expect(result !== image && result.scale == 2) }
        #expect(drawn[3].size == CGSize(width: 7, height: 5))
        #expect(drawn[4].size == CGSize(width: 10, height: 5))
        #expect(drawn[5].size == CGSize(width: 3, height: 3))
        #expect(try drawn[1].bitmap().pixel(0, 0) == [0, 0, 0, 0])
        #expect(try drawn[2].bitmap().pixel(0, 0) == [255, 255, 255, 255])
    }

    @Test func `drawing on an image gives the image back where no such image can be`() throws {
        let image = try sample()
        for side in [0, -1, .nan, 1e9, .infinity] as [CGFloat] {
            #expect(image.kf.resize(to: CGSize(width: side, height: side)) === image)
            #expect(image.kf.image(withRoundRadius: 2, fit: CGSize(width: side, height: side)) === image)
        }
        #expect(image.kf.crop(to: .zero, anchorOn: .zero) === image)
        #expect(image.kf.crop(to: CGSize(width: 1e9, height: 1e9), anchorOn: .zero) === image)
        #expect(image.kf.blurred(withRadius: .nan) === image)
    }

    @Test func `rounding to an impossible size makes no image in a processor`() throws {
        for side in [0, -1, .nan, 1e9, .infinity] as [CGFloat] {
            let processor = RoundCornerImageProcessor(
                cornerRadius: 2, targetSize: CGSize(width: side, height: side))
            #expect(processor.process(item: .image(try sample()), options: options) == nil)
        }
    }

    @Test(arguments: [
        (CGPoint(x: 0.5, y: 0.5), CGRect(x: 25, y: 10, width: 50, height: 30)),
        (CGPoint(x: 0, y: 1), CGRect(x: 0, y: 20, width: 50, height: 30)),
        (CGPoint(x: -3, y: 9), CGRect(x: 0, y: 20, width: 50, height: 30)),
        (CGPoint(x: 1, y: CGFloat.nan), CGRect(x: 50, y: 0, width: 50, height: 30)),
    ])
    func `an anchor says where a part of an image lies`(_ anchor: CGPoint, _ expected: CGRect) {
        let size = CGSize(width: 100, height: 50)
        #expect(size.kf.constrainedRect(for: CGSize(width: 50, height: 30), anchor: anchor) == expected)
        let whole = size.kf.constrainedRect(for: CGSize(width: 500, height: 300), anchor: anchor)
        #expect(whole == CGRect(origin: .zero, size: size))
    }

    @Test func `every processor copes with one pixel, a line and a clear image`() throws {
        let processors: [any ImageProcessor] = [
            BlurImageProcessor(blurRadius: .infinity), BlurImageProcessor(blurRadius: 7),
            OverlayImageProcessor(overlay: .red), TintImageProcessor(tint: .red), BlackWhiteProcessor(),
            ColorControlsProcessor(brightness: .infinity, contrast: .nan, saturation: 9, inputEV: -1),
            CroppingImageProcessor(size: CGSize(width: 0.5, height: CGFloat.infinity)),
            BlendImageProcessor(blendMode: .softLight, alpha: .nan, backgroundColor: .clear),
            BorderImageProcessor(border: Border(lineWidth: .infinity, radius: .widthFraction(.infinity))),
            RoundCornerImageProcessor(cornerRadius: .infinity),
            ResizingImageProcessor(referenceSize: CGSize(width: 3, height: 3), mode: .aspectFit),
            DownsamplingImageProcessor(size: CGSize(width: CGFloat.infinity, height: 3)),
        ]
        let clear = try Sample.bitmap(9, 7).edited(alpha: .premultiplied) { pixels in
            for index in pixels.indices { pixels[index] = .zero }
        }
        for bitmap in [try Sample.bitmap(1, 1), try Sample.bitmap(30_000, 1), clear] {
            for processor in processors {
                let result = processor.process(item: .image(Image(bitmap: bitmap)), options: options)
                #expect(result != nil, "\(processor.identifier) of \(bitmap.size)")
            }
        }
    }
}
