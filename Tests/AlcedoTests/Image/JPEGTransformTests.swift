import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

struct `Edits of a JPEG without loss` {
    /// 117 × 83 pixels that lie on their side, with everything that a camera writes.
    private let photograph: Data

    init() throws {
        let blocks = MetadataBlocks(
            exif: EXIFBuilder.tags(orientation: 6, artist: "Ada", copyright: "2026 Ada"),
            xmp: Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><d City=\"Rome\"/></x:xmpmeta>".utf8))
        photograph = Data(blocks.embedded(in: try Fixture.data("made/sampling-420.jpg"), format: .jpeg))
    }

    @Test func `a lossless turn of a JPEG starts from what is shown, and corrects the orientation`() throws {
        let image = try Image(decoding: photograph)
        #expect(image.pixelSize == PixelSize(width: 83, height: 117))
        let upright = try Image(decoding: JPEGTransform(partialBlocks: .trim).apply(to: photograph))
        #expect(upright.info?.orientation == .up && upright.metadata?.orientation == .up)
        #expect(upright.pixelSize == PixelSize(width: 80, height: 117))
        // Stored on its side, a quarter turn back is none.
        let back = try Image(decoding: JPEGTransform(turn: .left).apply(to: photograph))
        #expect(back.pixelSize == PixelSize(width: 117, height: 83) && back.info?.orientation == .up)
        let stored = try Image(decoding: Data(Fixture.data("made/sampling-420.jpg")))
        let layout = PixelLayout(.rgba, .straight)
        #expect(try back.bitmap().bytes(in: layout) == stored.bitmap().bytes(in: layout))
    }

    @Test func `a lossless crop of a JPEG is a part of the turned picture`() throws {
        let transform = JPEGTransform(turn: .left, crop: CGRect(x: 20.5, y: -9, width: 30.2, height: 30))
        #expect(
            try transform.region(of: photograph) == CGRect(x: 16, y: 0, width: 35, height: 21))
        let part = try Image(decoding: transform.apply(to: photograph))
        #expect(part.pixelSize == PixelSize(width: 35, height: 21))
        for crop in [
            CGRect(x: 117, y: 0, width: 9, height: 9), CGRect(x: 0, y: 0, width: 0, height: 5),
            CGRect(x: CGFloat.nan, y: 0, width: 5, height: 5),
        ] {
            #expect(throws: CodecError.self) {
                try JPEGTransform(turn: .left, crop: crop).apply(to: photograph)
            }
        }
        let all = JPEGTransform(turn: .left, crop: CGRect.infinite)
        #expect(try all.region(of: photograph).size == CGSize(width: 117, height: 83))
    }

    @Test(arguments: MetadataPolicy.allCases)
    func `a lossless edit of a JPEG keeps the metadata that it is told to`(_ policy: MetadataPolicy) throws {
        let file = try JPEGTransform(turn: .left, metadata: policy).apply(to: photograph)
        let metadata = try #require(ImageMetadata(data: file))
        #expect((metadata.rights != nil) == (policy != .none))
        #expect((file.firstRange(of: Data("Rome".utf8)) != nil) == (policy == .all))
        #expect((metadata.xmp != nil) == (policy == .all || policy == .allButLocation))
    }

    @Test func `a lossless edit of a JPEG says in EXIF how many pixels are left`() throws {
        let blocks = MetadataBlocks(exif: EXIFBuilder.pixels(117, 83, orientation: 6))
        let file = Data(blocks.embedded(in: try Fixture.data("made/sampling-420.jpg"), format: .jpeg))
        let upright = try JPEGTransform(partialBlocks: .trim).apply(to: file)
        #expect(ImageMetadata(data: upright)?.exif == EXIFBuilder.pixels(80, 117))
        let crop = CGRect(x: 16, y: 0, width: 35, height: 21)
        let part = try JPEGTransform(turn: .left, crop: crop).apply(to: file)
        #expect(ImageMetadata(data: part)?.exif == EXIFBuilder.pixels(35, 21))
    }

    @Test func `a lossless edit of a JPEG keeps its colour profile`() throws {
        // Swift 6.2 crashes at a span of data whose initial value may be an error.
        func profile(_ file: Data) -> [UInt8]? { codecs.profile(of: file.bytes) }
        let file = Data(try Fixture.data("made/srgb-profile.jpg"))
        let turned = try JPEGTransform(turn: .down, metadata: .none).apply(to: file)
        #expect(profile(turned) == profile(file))
        #expect(profile(file) != nil)
    }

    @Test func `a lossless edit of another format than JPEG is rejected`() throws {
        let error = #expect(throws: CodecError.self) {
            try JPEGTransform(turn: .right).apply(to: Data(Fixture.data("made/alpha.png")))
        }
        #expect(error?.description.contains("only JPEGs") == true)
        #expect(throws: CodecError.unknownFormat) { try JPEGTransform().apply(to: Data("no image".utf8)) }
    }

    @Test func `a lossless edit of a JPEG waits for the memory of both pictures`() async throws {
        let (budget, gate, done) = (DecodeBudget(bytes: 100), Gate(), Recorder<Data?>())
        Thread.detachNewThread { budget.withReservation(of: 100) { gate.wait() } }
        await gate.waitForArrivals(1)
        Thread.detachNewThread { [photograph] in
            done.append(
                try? JPEGTransform(turn: .left).apply(to: photograph, limits: DecodeLimits(), budget: budget))
        }
        while budget.waitingCount == 0, done.count == 0 { await Task.yield() }
        #expect(done.count == 0)
        gate.open()
        #expect(await done.waitFor(count: 1)[0] != nil)
    }

    @Test(arguments: [("sampling-444.jpg", 12), ("sampling-420.jpg", 6), ("cmyk.jpg", 16)])
    func `a lossless edit of a JPEG takes the memory of all coefficients`(_ name: String, _ bytes: Int) throws
    {
        let data = try Fixture.data("made/\(name)")
        let (header, unit) = (try Image(decoding: Data(data)).pixelSize, name.hasSuffix("420.jpg") ? 16 : 8)
        let padded = [header.width, header.height].map { ($0 + unit - 1) / unit * unit }.reduce(1, *)
        let all = try JPEGCodec.memory(of: data.span.bytes, by: BlockTransform())
        #expect(all == padded * bytes)
        let crop = PixelFrame(x: 0, y: 0, width: header.width, height: unit)
        let part = try JPEGCodec.memory(of: data.span.bytes, by: BlockTransform(crop: crop))
        #expect(part > all / 2 && part < all)
    }
}
