import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A gain map that is kept` {
    private let source: Data

    init() throws { source = try Self.file(.up) }

    /// A picture of 64 × 48 pixels with a map of 32 × 24 samples, whose left half is dark.
    private static func file(_ orientation: ImageOrientation) throws -> Data {
        func jpeg(_ width: Int, _ height: Int, _ level: (Int) -> UInt8) throws -> [UInt8] {
            var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
            pixels.withUnsafeMutableBytes { output in
                for index in output.indices {
                    output[index] = index % 4 == 3 ? 255 : level(index / 4 % width)
                }
            }
            return try JPEGCodec().encode(pixels.freeze(), as: .jpeg, options: EncodeOptions(quality: 1))
        }
        let picture = try jpeg(64, 48) { UInt8(60 + $0) }
        let blocks = MetadataBlocks().kept(by: .all, orientation: orientation)
        return Data(
            GainMapParameters()
                .file(of: picture, map: try jpeg(32, 24) { $0 < 16 ? 0 : 200 }, metadata: blocks))
    }

    private func map(_ data: Data) -> (size: PixelSize, left: Int, right: Int, top: Int, bottom: Int)? {
        guard let map = JPEGGainMap(data.bytes, limits: DecodeLimits()),
            let bitmap = try? JPEGCodec()
                .decode(GainMapFile(map, in: data.bytes).jpeg.span.bytes, options: DecodeOptions())
        else { return nil }
        let (width, height) = (bitmap.width, bitmap.height)
        return bitmap.withUnsafeBytes { bytes in
            func at(_ x: Int, _ y: Int) -> Int { Int(bytes[(y * width + x) * 4]) }
            return (
                map.size, at(1, height / 2), at(width - 2, height / 2), at(width / 2, 1),
                at(width / 2, height - 2)
            )
        }
    }

    @Test func `is that of the file where nothing changes its shape`() throws {
        let image = try Image(decoding: source)
        let again = try image.data(as: .jpeg, options: EncodeOptions(quality: 0.8, metadata: .all))
        #expect(again != source && map(again)?.size == PixelSize(width: 32, height: 24))
        for policy in [MetadataPolicy.none, .copyright] {
            let other = try image.data(as: .jpeg, options: EncodeOptions(quality: 0.8, metadata: policy))
            #expect(map(other) == nil && other.range(of: Data("hdrgm".utf8)) == nil)
        }
        // Its light is in the pixels.
        let bright = try Image(decoding: source, limits: DecodeLimits(colorRetention: .hdr))
        #expect(try bright.bitmap().isHDR)
        let dark = try bright.data(as: .jpeg, options: EncodeOptions(quality: 0.8, metadata: .all))
        #expect(map(dark) == nil && dark.range(of: Data("hdrgm".utf8)) == nil)
    }

    @Test func `is turned with its picture`() throws {
        let turned = try Image(decoding: Self.file(.right))
        #expect(turned.pixelSize == PixelSize(width: 48, height: 64))
        let data = try turned.data(as: .jpeg, options: EncodeOptions(metadata: .all))
        let kept = try #require(map(data))
        #expect(kept.size == PixelSize(width: 24, height: 32))
        #expect(kept.top < 20 && kept.bottom > 180)
    }

    @Test func `is resized with its picture, and dropped by what does more`() throws {
        func process(_ processor: any ImageProcessor, _ item: ImageProcessItem) throws -> Data {
            let options = KingfisherParsedOptionsInfo([])
            let image = try #require(
                processor.keepingMetadata(.all).process(item: item, options: options))
            return try image.data(as: .jpeg, options: EncodeOptions(metadata: .all))
        }
        let small = DownsamplingImageProcessor(size: CGSize(width: 32, height: 24))
        for item in [ImageProcessItem.data(source), .image(try Image(decoding: source))] {
            let kept = try #require(map(try process(small, item)))
            #expect(kept.size == PixelSize(width: 16, height: 12))
            #expect(kept.left < 20 && kept.right > 180)
            for other: any ImageProcessor in [
                CroppingImageProcessor(size: CGSize(width: 20, height: 20)),
                small |> BlackWhiteProcessor(), RoundCornerImageProcessor(cornerRadius: 9),
            ] {
                let data = try process(other, item)
                #expect(map(data) == nil && data.range(of: Data("hdrgm".utf8)) == nil)
            }
        }
    }

    @Test func `is applied by a load with its option, under a key of its own`() throws {
        let identifiers = [ColorRetention.standard, .full, .hdr].map { retention in
            KingfisherParsedOptionsInfo([.colorRetention(retention)]).reducing().processor.identifier
        }
        #expect(Set(identifiers).count == 3)
    }
}
