import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

private let options = KingfisherParsedOptionsInfo(nil)

struct `Processors` {
    @Test(arguments: [
        ((400, 200), (100.0, 100.0), (100, 50)),
        ((200, 400), (100.0, 20.0), (50, 100)),
        ((40, 20), (100.0, 100.0), (40, 20)),
        ((1000, 1), (10.0, 10.0), (10, 1)),
    ])
    func `downsampling bounds the longer side, keeps the aspect and never enlarges`(
        _ image: (Int, Int), _ size: (Double, Double), _ expected: (Int, Int)
    ) throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: size.0, height: size.1))
        let data = Data(try Sample.png(image.0, image.1))
        let result = try #require(processor.process(item: .data(data), options: options))
        #expect(result.pixelSize == PixelSize(width: expected.0, height: expected.1))
    }

    @Test func `downsampling counts in points`() throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        let data = Data(try Sample.jpeg(800, 400))
        let result = try #require(
            processor.process(item: .data(data), options: KingfisherParsedOptionsInfo([.scaleFactor(2)])))
        #expect(result.pixelSize == PixelSize(width: 200, height: 100))
        #expect(result.size == CGSize(width: 100, height: 50))
    }

    @Test func `downsampling a turned photograph fits the upright side`() throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 120, height: 120))
        let data = Data(try Fixture.data("exif-orientation/Portrait_6.jpg"))
        let result = try #require(processor.process(item: .data(data), options: options))
        #expect(result.pixelSize == PixelSize(width: 80, height: 120))
    }

    @Test(arguments: [
        (ContentMode.none, (50, 50)), (.aspectFit, (50, 25)), (.aspectFill, (100, 50)),
    ])
    func `resizing follows the content mode`(_ mode: ContentMode, _ expected: (Int, Int)) throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 50, height: 50), mode: mode)
        let result = try #require(
            processor.process(item: .data(Data(try Sample.png(80, 40))), options: options))
        #expect(result.pixelSize == PixelSize(width: expected.0, height: expected.1))
    }

    @Test func `resizing to nothing or to more than the limit makes no image`() throws {
        let data = Data(try Sample.png(8, 8))
        for side in [0, -5, .nan, 1e9] as [CGFloat] {
            let processor = ResizingImageProcessor(referenceSize: CGSize(width: side, height: side))
            #expect(processor.process(item: .data(data), options: options) == nil)
        }
    }

    @Test func `round corners are clear and the middle is untouched`() throws {
        let processor = RoundCornerImageProcessor(cornerRadius: 10)
        let result = try #require(
            processor.process(item: .image(Image(bitmap: try Sample.bitmap(40, 40))), options: options))
        let bitmap = try result.bitmap()
        #expect(bitmap.pixel(0, 0) == [0, 0, 0, 0])
        #expect(bitmap.pixel(39, 39) == [0, 0, 0, 0])
        #expect(bitmap.pixel(20, 20) == [40, 120, 200, 255])
        #expect(bitmap.pixel(20, 0) == [40, 120, 200, 255])
    }

    @Test func `only the corners asked for are rounded, over the background`() throws {
        let processor = RoundCornerImageProcessor(
            radius: .widthFraction(0.5), roundingCorners: [.topLeft], backgroundColor: .white)
        let result = try #require(
            processor.process(item: .image(Image(bitmap: try Sample.bitmap(40, 40))), options: options))
        let bitmap = try result.bitmap()
        #expect(bitmap.pixel(0, 0) == [255, 255, 255, 255])
        #expect(bitmap.pixel(39, 0) == [40, 120, 200, 255])
        #expect(bitmap.alpha == .opaque)
    }

    @Test func `a chain does one processor and then the other, and joins the identifiers`() throws {
        let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))
        let round = RoundCornerImageProcessor(cornerRadius: 5)
        let chain = small |> round
        #expect(chain.identifier == small.identifier + "|>" + round.identifier)
        let result = try #require(chain.process(item: .data(Data(try Sample.png(80, 80))), options: options))
        #expect(result.pixelSize == PixelSize(width: 20, height: 20))
        #expect(try result.bitmap().pixel(0, 0)[3] == 0)
    }

    @Test func `a processor's identifier in options names the scale where its sizes are in points`() {
        let size = CGSize(width: 100, height: 50)
        let scaled: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: size), ResizingImageProcessor(referenceSize: size),
            CroppingImageProcessor(size: size), RoundCornerImageProcessor(cornerRadius: 3),
            RoundCornerImageProcessor(radius: .widthFraction(0.5), targetSize: size),
            BorderImageProcessor(border: Border(lineWidth: 2)),
        ]
        for processor in scaled {
            func identifier(_ scale: CGFloat) -> String {
                KingfisherParsedOptionsInfo([.scaleFactor(scale), .processor(processor)]).processor.identifier
            }
            #expect(identifier(1) == processor.identifier)
            #expect(identifier(2) == processor.identifier + "@2.0x")
            #expect(identifier(1.25) == processor.identifier + "@1.25x")
        }
        let blur = BlurImageProcessor(blurRadius: 3)
        let chain = blur |> scaled[0]
        var options = KingfisherParsedOptionsInfo([.processor(blur), .scaleFactor(2)])
        #expect(options.processor.identifier == blur.identifier)
        options.processor = chain
        let named = options.reducing()
        #expect(named.processor.identifier == chain.identifier + "@2.0x")
        #expect(named.reducing().processor.identifier == named.processor.identifier)
        options = named
        options.scaleFactor = 1
        #expect(options.reducing().processor.identifier == chain.identifier)
    }

    @Test
    func `a size of zero keeps all pixels in downsampling, and is an error in other processors`() throws {
        let data = Data(try Sample.png(40, 20))
        let downsampled = DownsamplingImageProcessor(size: .zero).process(item: .data(data), options: options)
        #expect(downsampled?.pixelSize == PixelSize(width: 40, height: 20))
        for processor in [
            ResizingImageProcessor(referenceSize: .zero), CroppingImageProcessor(size: .zero),
            RoundCornerImageProcessor(cornerRadius: 1, targetSize: .zero),
        ] as [any ImageProcessor] {
            var options = KingfisherParsedOptionsInfo([.processor(processor)])
            options.processingRun = ProcessingRun(of: nil, loadID: nil)
            guard case .failure(let error) = options.processed(.data(data)) else {
                Issue.record("\(processor) made an image")
                continue
            }
            let text = error.localizedDescription
            #expect(text.contains("width and height must be over 0") && !text.contains("limit"))
        }
    }

    @Test func `identifiers of processors tell every parameter apart and are fixed for all platforms`() {
        let size = CGSize(width: 100, height: 50)
        let all: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: size), DownsamplingImageProcessor(size: .zero),
            ResizingImageProcessor(referenceSize: size),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
            RoundCornerImageProcessor(cornerRadius: 3), RoundCornerImageProcessor(cornerRadius: 4),
            RoundCornerImageProcessor(radius: .heightFraction(3)),
            RoundCornerImageProcessor(cornerRadius: 3, targetSize: size),
            RoundCornerImageProcessor(cornerRadius: 3, roundingCorners: .topLeft),
            RoundCornerImageProcessor(cornerRadius: 3, backgroundColor: .red),
        ]
        #expect(Set(all.map(\.identifier)).count == all.count)
        #expect(
            all[0].identifier == "com.onevcat.Kingfisher.DownsamplingImageProcessor((100.0, 50.0))")
        #expect(DefaultImageProcessor.default.identifier.isEmpty)
    }

    @Test func `fitting and filling a size round the computed side`() {
        let size = CGSize(width: 100, height: 33)
        #expect(size.kf.constrained(CGSize(width: 10, height: 10)) == CGSize(width: 10, height: 3))
        #expect(size.kf.filling(CGSize(width: 10, height: 10)) == CGSize(width: 30, height: 10))
    }
}
