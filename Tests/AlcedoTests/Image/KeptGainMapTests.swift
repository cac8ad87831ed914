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
    private static func file(
        _ orientation: ImageOrientation, isDamaged: Bool = false, profile: [UInt8]? = nil
    ) throws -> Data {
        func jpeg(
            _ width: Int, _ height: Int, _ profile: [UInt8]? = nil, _ level: (Int) -> UInt8
        ) throws -> [UInt8] {
            var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
            pixels.withUnsafeMutableBytes { output in
                for index in output.indices {
                    output[index] = index % 4 == 3 ? 255 : level(index / 4 % width)
                }
            }
            var options = EncodeOptions(quality: 1)
            options.profile = profile
            return try JPEGCodec().encode(pixels.freeze(), as: .jpeg, options: options)
        }
        let picture = try jpeg(64, 48, profile) { UInt8(60 + $0) }
        let blocks = MetadataBlocks().kept(by: .all, orientation: orientation)
        var map = try jpeg(32, 24) { $0 < 16 ? 0 : 200 }
        if isDamaged {
            let scan = try #require(map.firstRange(of: [0xFF, 0xDA] as [UInt8])).upperBound
            // The headers of the scan, a few bytes of it, and the end of the file.
            map = Array(map[..<(scan + 12 + 4)]) + [0xFF, 0xD9]
        }
        return Data(GainMapParameters().file(of: picture, map: map, metadata: blocks))
    }

    /// A function of its own: Swift 6.2 crashes at a span of data whose initial value may be an error.
    private func hasMap(_ data: Data) -> Bool { JPEGGainMap(data.bytes, limits: DecodeLimits()) != nil }

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

    @Test func `a gain map is kept with all metadata, but not once its light is in the pixels`() throws {
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

    @Test func `a gain map that is kept is turned with its picture`() throws {
        let turned = try Image(decoding: Self.file(.right))
        #expect(turned.pixelSize == PixelSize(width: 48, height: 64))
        let data = try turned.data(as: .jpeg, options: EncodeOptions(metadata: .all))
        let kept = try #require(map(data))
        #expect(kept.size == PixelSize(width: 24, height: 32))
        #expect(kept.top < 20 && kept.bottom > 180)
    }

    @Test func `a gain map of three channels is kept only with pixels in the picture's own space`() throws {
        let data = try Self.file(.up, profile: ColorSpace.displayP3.profile)
        for (retention, isKept) in [(ColorRetention.standard, false), (.full, true), (.hdr, false)] {
            let image = try Image(decoding: data, limits: DecodeLimits(colorRetention: retention))
            let again = try image.data(as: .jpeg, options: EncodeOptions(quality: 0.8, metadata: .all))
            #expect((map(again) != nil) == isKept)
        }
    }

    @Test func `a gain map that is damaged counts as none`() throws {
        let data = try Self.file(.right, isDamaged: true)
        #expect(hasMap(data))
        let turned = try Image(decoding: data)
            .data(as: .jpeg, options: EncodeOptions(quality: 0.8, metadata: .all))
        #expect(try Image(decoding: turned).pixelSize == PixelSize(width: 48, height: 64))
        #expect(!hasMap(turned))
        #expect(turned.range(of: Data("hdrgm".utf8)) == nil)
    }

    @Test func `a gain map is resized with its picture, and dropped by what does more`() throws {
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

    @Test func `a load that applies gain maps has a cache key of its own`() throws {
        let identifiers = [ColorRetention.standard, .full, .hdr].map { retention in
            KingfisherParsedOptionsInfo([.colorRetention(retention)]).reducing().processor.identifier
        }
        #expect(Set(identifiers).count == 3)
    }
}
