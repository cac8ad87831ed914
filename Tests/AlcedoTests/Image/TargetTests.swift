import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(10)))
struct `An image with a target` {
    private let image: Image

    init() throws {
        let photo = try Image(decoding: Data(Fixture.data("jpeg/testorig.jpg")))
        image = Image(bitmap: try photo.bitmap())
    }

    static let formats = [EncodedFormat.jpeg, .webp, .avif, .jxl, .heic].filter {
        codecs.codec(writing: $0) != nil
    }

    @Test(arguments: formats)
    func `an image with a target size has at most as many bytes, and nearly as many`(
        format: EncodedFormat
    ) throws {
        let target = EncodeTarget.size(bytes: 4_000, qualities: 0.1...0.95)
        let file = try image.data(as: format, options: EncodeOptions(target: target))
        #expect((3_300...4_000).contains(file.count), "\(file.count)")
        #expect(try Image(decoding: file).info?.format == format)
    }

    @Test(arguments: formats)
    func `an image with a target similarity has it, in few bytes`(format: EncodedFormat) throws {
        func file(_ ssim: Double) throws -> Data {
            let target = EncodeTarget.quality(ssim: ssim, qualities: 0.1...0.95)
            return try image.data(as: format, options: EncodeOptions(target: target))
        }
        let (coarse, fine) = try (file(0.9), file(0.95))
        #expect(coarse.count < fine.count)
        let found = try Similarity(to: image.bitmap()).ssim(of: Image(decoding: fine).bitmap())
        #expect((0.95..<0.97).contains(found), "\(found)")
    }

    @Test func `an image with a target size counts its metadata`() throws {
        let exif = EXIFBuilder.tags(artist: String(repeating: "Ada", count: 400))
        let jpeg = try MetadataBlocks(exif: exif).embedded(
            in: Fixture.data("jpeg/testorig.jpg"), format: .jpeg)
        let photo = try Image(decoding: Data(jpeg))
        let options = EncodeOptions(metadata: .all, target: .size(bytes: 5_000))
        let file = try photo.data(as: .jpeg, options: options)
        #expect((4_500...5_000).contains(file.count) && file.range(of: Data("AdaAda".utf8)) != nil)
    }

    @Test func `a target size that is too small fails, also for a file that could stay as it is`() throws {
        let gif = try Image(decoding: Data(Fixture.data("gif/fire.gif")))
        let options = EncodeOptions(target: .size(bytes: 200))
        #expect(throws: CodecError.self) { try gif.data(as: .gif, options: options) }
        #expect(throws: CodecError.self) { try image.data(as: .jpeg, options: options) }
    }
}
