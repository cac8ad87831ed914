import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

struct `The metadata of images` {
    private let exif = EXIFBuilder.tags(orientation: 6, artist: "Ada", copyright: "2026 Ada")
    private let xmp = Array(
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><d dc:title=\"Boat\" City=\"Rome\"/></x:xmpmeta>".utf8)
    private let source: Data

    init() throws {
        source = try Self.file(.jpeg, MetadataBlocks(exif: exif, xmp: xmp))
    }

    /// 64 by 48 pixels, no two alike.
    private static func file(_ format: EncodedFormat, _ blocks: MetadataBlocks) throws -> Data {
        var builder = try PixelBuilder(size: PixelSize(width: 64, height: 48), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for index in 0..<64 * 48 {
                let (x, y) = (index % 64, index / 64)
                for (channel, value) in [x * 4, y * 5, x + y, 255].enumerated() {
                    bytes[index * 4 + channel] = UInt8(value)
                }
            }
        }
        let bitmap = builder.freeze()
        return Data(blocks.embedded(in: try codecs.encode(bitmap, as: format), format: format))
    }

    private func pixels(_ image: Image) throws -> [UInt8] {
        try image.bitmap().bytes(in: PixelLayout(.rgba, .straight))
    }

    private static let formats: [EncodedFormat] = [.jpeg, .png, .webp, .tiff, .avif, .heic, .jxl]

    private func isWritable(_ format: EncodedFormat) -> Bool { codecs.codec(writing: format) != nil }

    @Test func `an image has its file's metadata, and a drawn one has none`() throws {
        let image = try Image(decoding: source)
        #expect(image.metadata?.title == "Boat" && image.metadata?.creators == ["Ada"])
        #expect(try Image(bitmap: image.bitmap()).metadata == nil)
        #expect(ImageMetadata(data: source) == image.metadata)
        #expect(ImageMetadata(data: Data("GIF89a".utf8)) == nil)
    }

    @Test func `a file's metadata is read without the rest of it`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.jpg")
        // A file of 4 TiB without pixels: only its beginning is there.
        let head = source.prefix(700)
        try head.write(to: file)
        #expect(truncate(file.path, off_t(1) << 42) == 0)
        let metadata = ImageMetadata(contentsOfFile: file.path)
        #expect(metadata?.title == "Boat" && metadata?.exif == exif)
        #expect(ImageMetadata(contentsOfFile: folder.path) == nil)
        #expect(ImageMetadata(contentsOfFile: folder.file("b").path) == nil)
    }

    @Test(arguments: formats, MetadataPolicy.allCases)
    func `an image is encoded with the metadata that options keep`(
        format: EncodedFormat, policy: MetadataPolicy
    ) throws {
        guard isWritable(format) else { return }
        let image = try Image(decoding: source)
        let plain = try Image(decoding: image.data(as: format, options: EncodeOptions(quality: 0.8)))
        #expect(plain.metadata?.blocks.isEmpty != false)
        let data = try image.data(as: format, options: EncodeOptions(quality: 0.8, metadata: policy))
        let written = try Image(decoding: data)
        #expect(written.pixelSize == PixelSize(width: 48, height: 64))
        #expect(try pixels(written) == pixels(plain))
        let metadata = written.metadata
        #expect(metadata?.rights == (policy == .none ? nil : "2026 Ada"))
        #expect(metadata?.title == (policy == .all || policy == .allButLocation ? "Boat" : nil))
        #expect((data.firstRange(of: Data("Rome".utf8)) != nil) == (policy == .all))
        #expect(metadata?.orientation ?? .up == .up && written.info?.orientation == .up)
        // What is written is read by ranges too.
        let folder = try TemporaryDirectory()
        try data.write(to: folder.file("a"))
        #expect(ImageMetadata(contentsOfFile: folder.file("a").path) == metadata)
    }

    @Test(arguments: formats)
    func `metadata of encoded bytes is replaced without changing pixels`(format: EncodedFormat) throws {
        guard isWritable(format) else { return }
        let options = EncodeOptions(isLossless: true, metadata: .all)
        let image = try Image(decoding: Image(decoding: source).data(as: format, options: options))
        guard format != .tiff else {
            #expect(throws: CodecError.self) { try image.dataReplacingMetadata(keeping: .none) }
            return
        }
        for policy in [MetadataPolicy.none, .copyright, .allButLocation] {
            let data = try image.dataReplacingMetadata(keeping: policy)
            #expect(data.firstRange(of: Data("Rome".utf8)) == nil)
            let bare = try Image(decoding: data)
            #expect(bare.metadata?.rights == (policy == .none ? nil : "2026 Ada"))
            #expect(try pixels(bare) == pixels(image))
        }
        #expect(try image.dataReplacingMetadata(keeping: .all) == image.data(as: format))
    }

    @Test func `a PNG that is encoded with options loses its metadata, but not its orientation`() throws {
        let file = try Self.file(.png, MetadataBlocks(exif: exif, xmp: xmp))
        let image = try Image(decoding: file)
        #expect(try image.data(as: .png) == file)
        let data = try image.data(as: .png, options: EncodeOptions())
        let bare = try Image(decoding: data)
        #expect(bare.metadata?.rights == nil && bare.metadata?.xmp == nil)
        #expect(bare.info?.orientation == .right)
        #expect(try pixels(bare) == pixels(image))
    }

    // MARK: - Processors

    private func process(_ processor: any ImageProcessor, _ item: ImageProcessItem) -> Image? {
        processor.process(item: item, options: KingfisherParsedOptionsInfo(nil))
    }

    @Test
    func `a processed image keeps the metadata that its processor says, also in the disk cache`() throws {
        let small = ResizingImageProcessor(referenceSize: CGSize(width: 12, height: 16))
        #expect(process(small, .data(source))?.metadata == nil)
        #expect(small.keepingMetadata(.none).identifier == small.identifier)
        let keeping = small.keepingMetadata(.copyright)
        #expect(keeping.identifier != small.identifier)
        #expect(keeping.identifier != small.keepingMetadata(.all).identifier)
        for item in [ImageProcessItem.data(source), .image(try Image(decoding: source))] {
            let image = try #require(process(keeping, item))
            #expect(image.metadata?.rights == "2026 Ada" && image.metadata?.title == nil)
            #expect(image.cacheCost > 12 * 16 * 4)
            for serializer in [DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png]
                as [any CacheSerializer]
            {
                let data = try #require(serializer.data(with: image, original: source))
                let stored = try Image(decoding: data)
                #expect(stored.metadata?.rights == "2026 Ada" && stored.pixelSize == image.pixelSize)
            }
            #expect(try Image(decoding: image.data(as: .jpeg)).metadata?.rights == nil)
        }
        // A size that changes nothing leaves the bytes.
        let same = ResizingImageProcessor(referenceSize: CGSize(width: 48, height: 64)).keepingMetadata()
        #expect(try process(same, .data(source))?.data(as: .jpeg) == source)
    }

    @Test func `a file says in EXIF how many pixels it has, not how many its source had`() throws {
        let file = try Self.file(.jpeg, MetadataBlocks(exif: EXIFBuilder.pixels(64, 48, orientation: 6)))
        let options = EncodeOptions(metadata: .all)
        let upright = try Image(decoding: file).data(as: .png, options: options)
        #expect(ImageMetadata(data: upright)?.exif == EXIFBuilder.pixels(48, 64))
        let small = ResizingImageProcessor(referenceSize: CGSize(width: 12, height: 16)).keepingMetadata(.all)
        let image = try #require(process(small, .data(file)))
        let jpeg = try image.data(as: .jpeg, options: options)
        #expect(ImageMetadata(data: jpeg)?.exif == EXIFBuilder.pixels(12, 16))
    }

    @Test func `an image that is reduced for its view keeps its metadata`() throws {
        let base = RoundCornerImageProcessor(cornerRadius: 2).keepingMetadata(.all)
        var options = KingfisherParsedOptionsInfo([.processor(base), .downsampleToViewSize])
        options = options.reducing(for: PixelSize(width: 12, height: 16))
        let image = try #require(options.processor.process(item: .data(source), options: options))
        #expect(image.pixelSize == PixelSize(width: 12, height: 16) && image.metadata?.title == "Boat")
        #expect(
            options.reducing(for: PixelSize(width: 12, height: 16)).processor.identifier
                == options.processor.identifier)
    }

    @Test func `a date in metadata is a moment by its offset or a time zone`() throws {
        // One directory, which leads to EXIF's with two texts.
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> (8 * $0) & 255) }
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            little(tag, 2) + little(type, 2) + little(count, 4) + little(value, 4)
        }
        var exif = Array("II*\0".utf8) + little(8, 4) + little(1, 2) + entry(0x8769, 4, 1, 26) + little(0, 4)
        exif += little(2, 2) + entry(0x9003, 2, 20, 56) + entry(0x9011, 2, 7, 76) + little(0, 4)
        exif += Array("2026:11:29 10:00:00\0+01:00\0".utf8)
        let date = try #require(ImageMetadata(MetadataBlocks(exif: exif)).date)
        #expect(date.date() == Date(timeIntervalSince1970: 1_795_942_800))
        var local = date
        local.offset = nil
        #expect(local.date() == nil)
        #expect(local.date(in: TimeZone(secondsFromGMT: 0)) == Date(timeIntervalSince1970: 1_795_946_400))
    }
}
