import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

private let plain = KingfisherParsedOptionsInfo(nil)

struct `A chain of processors` {
    /// Notes where the pixels that it sees lie.
    private func spy(_ places: Recorder<UInt>) -> PixelChange {
        .edit { (bitmap: consuming Bitmap, _) in
            places.append(UInt(bitPattern: bitmap.unsafeBaseAddress))
            return bitmap
        }
    }

    private func run(_ changes: [PixelChange], on image: Image, isUnshared: Bool) throws -> Image {
        var pipeline = PixelPipeline(scale: image.scale)
        pipeline.append(changes, of: "test")
        return try pipeline.apply(to: image, isUnshared: isUnshared)
    }

    @Test func `a chain of processors changes pixels of its own where they are`() throws {
        let places = Recorder<UInt>()
        let data = Data(try Sample.jpeg(64, 48))
        let image = try Image(decoding: data)
        let changes: [PixelChange?] = [
            .fit(longerSide: 32), spy(places), .round(.point(4), corners: .all, background: nil), spy(places),
            .tint(Color(white: 0, alpha: 0.5)), spy(places), .blur(radius: 3), spy(places),
            .overlay(.red, fraction: 0.5), .adjust(.blackAndWhite), .border(Border()),
            .blend(.multiply, alpha: 1, over: .green), spy(places),
        ]
        let result = try run(changes.compactMap(\.self), on: image, isUnshared: true)
        #expect(places.values.count == 5 && Set(places.values).count == 1)
        #expect(try UInt(bitPattern: result.bitmap().unsafeBaseAddress) == places.values[0])
        #expect(image.decodedBitmap == nil, "only what the chain takes was decoded")
    }

    @Test func `a chain of processors leaves pixels that somebody else has as they are`() throws {
        let places = Recorder<UInt>()
        let image = Image(bitmap: try Sample.bitmap(8, 8))
        let result = try run(
            [.tint(.black), spy(places), .tint(.white), spy(places)], on: image, isUnshared: false)
        #expect(try image.bitmap().pixel(3, 3) == [40, 120, 200, 255])
        #expect(try result.bitmap().pixel(3, 3) == [255, 255, 255, 255])
        #expect(Set(places.values).count == 1, "what the first step made is the chain's own")
    }

    @Test func `a chain of processors gives the same as its parts one by one`() throws {
        let parts: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: CGSize(width: 40, height: 40)),
            BorderImageProcessor(border: Border(lineWidth: 3)), RoundCornerImageProcessor(cornerRadius: 9),
            StandIn(), CroppingImageProcessor(size: CGSize(width: 9, height: 9)), BlackWhiteProcessor(),
        ]
        let chain = parts.dropFirst().reduce(parts[0]) { $0 |> $1 }
        let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
        let data = Data(try Fixture.data("jpeg/testorig.jpg"))
        var item = ImageProcessItem.data(data)
        for part in parts { item = .image(try #require(part.process(item: item, options: options))) }
        let whole = try #require(chain.process(item: .data(data), options: options))
        guard case .image(let stepwise) = item else { return }
        #expect(whole.scale == 2 && stepwise.scale == 2)
        #expect(try whole.bitmap().hasSamePixels(as: stepwise.bitmap()))
        #expect(chain.identifier == parts.map(\.identifier).joined(separator: "|>"))
    }

    @Test func `a chain of processors that has nothing to do leaves the image and its bytes`() throws {
        let data = Data(try Sample.png(20, 10))
        let chain =
            DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
            |> BlurImageProcessor(blurRadius: 0)
            |> CroppingImageProcessor(size: CGSize(width: 30, height: 30))
            |> RoundCornerImageProcessor(cornerRadius: 0)
        let result = try #require(chain.process(item: .data(data), options: plain))
        #expect(result.encoded?.data == data && result.decodedBitmap == nil)
        let image = Image(bitmap: try Sample.bitmap(4, 4))
        #expect(chain.process(item: .image(image), options: plain) === image)
    }

    @Test func `a chain of processors that fails half-way makes nothing`() throws {
        let image = Image(bitmap: try Sample.bitmap(4, 4))
        let chain =
            TintImageProcessor(tint: .red) |> CroppingImageProcessor(size: .zero) |> BlackWhiteProcessor()
        #expect(chain.process(item: .image(image), options: plain) == nil)
    }

    /// Somebody's own processor, which the chain knows nothing of.
    private struct StandIn: ImageProcessor {
        let identifier = "StandIn"
        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            guard case .image(let image) = item else { return nil }
            return image.kf.tinted(with: Color(white: 1, alpha: 0.3))
        }
    }
}
