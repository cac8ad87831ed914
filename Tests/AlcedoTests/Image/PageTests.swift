import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

struct `Pages of a file` {
    private func image(_ path: String) throws -> Image { try Image(decoding: Data(Fixture.data(path))) }

    private func pixels(_ image: Image) throws -> [UInt8] {
        try image.pixels(in: PixelLayout(.rgba, .straight))
    }

    private func square(_ side: Int, level: UInt8) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: side, height: side), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : level }
        }
        return builder.freeze()
    }

    /// An icon of PNGs, of which the largest is neither the first nor the last.
    private func icon(_ sides: [Int]) throws -> Data {
        let files = try sides.map { try codecs.encode(square($0, level: UInt8($0)), as: .png) }
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var (head, start) = ([0, 0, 1, 0, UInt8(sides.count), 0], 6 + 16 * sides.count)
        for (side, file) in zip(sides, files) {
            head += [UInt8(side), UInt8(side), 0, 0, 1, 0, 32, 0] + little(file.count, 4) + little(start, 4)
            start += file.count
        }
        return Data(head + files.flatMap { $0 })
    }

    /// A TIFF of squares of one grey, in either byte order.
    private func tiff(_ levels: [UInt8], isBig: Bool = false, loops: Bool = false) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? bytes.reversed() : bytes
        }
        var file = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        for (index, level) in levels.enumerated() {
            let side = index + 2
            let start = file.count
            let pixels = start + 2 + 9 * 12 + 4
            let fields = [
                (256, side), (257, side), (258, 8), (259, 1), (262, 1), (273, pixels), (277, 1), (278, side),
                (279, side * side),
            ]
            file += number(fields.count, 2)
            for (tag, value) in fields {
                file += number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4)
            }
            let isLast = index == levels.count - 1
            file += number(isLast ? loops ? 8 : 0 : pixels + side * side, 4)
            file += [UInt8](repeating: level, count: side * side)
        }
        return Data(file)
    }

    @Test func `each size of an icon is an image, and the largest is what the icon shows`() throws {
        let image = try Image(decoding: icon([16, 48, 32]))
        #expect(image.pixelSize.width == 48 && image.pageCount == 3)
        for (index, side) in [16, 48, 32].enumerated() {
            let page = try image.page(at: index)
            #expect(page.pixelSize == PixelSize(width: side, height: side) && page.info?.format == .ico)
            #expect(try pixels(page).first == UInt8(side) && page.pageCount == 1)
        }
        #expect(throws: CodecError.self) { try image.page(at: 3) }
        #expect(throws: CodecError.self) { try image.page(at: -1) }
    }

    #if TIFF
        @Test(arguments: [false, true]) func `each page of a TIFF is an image`(isBig: Bool) throws {
            let image = try Image(decoding: tiff([10, 200, 90], isBig: isBig))
            #expect(image.pageCount == 3)
            for (index, level) in [10, 200, 90].enumerated() {
                let page = try image.page(at: index)
                #expect(page.pixelSize == PixelSize(width: index + 2, height: index + 2))
                #expect(
                    try pixels(page)
                        == Array(
                            repeating: [UInt8(level), UInt8(level), UInt8(level), 255],
                            count: (index + 2) * (index + 2)
                        ).flatMap { $0 })
            }
            let error = #expect(throws: CodecError.self) { try image.page(at: 3) }
            #expect(error?.description.contains("3 pages, from 0 to 2, and no page 3") == true)
        }

        @Test func `directories of a TIFF that lead in a circle end`() throws {
            #expect(try Image(decoding: tiff([1, 2], loops: true)).pageCount == 2)
        }

        @Test func `the pages of a TIFF are different, and the first is what the file shows`() throws {
            let file = try image("tiff/pages.tiff")
            #expect(file.pageCount > 1)
            #expect(try pixels(file.page(at: 0)) == pixels(file))
            #expect(try pixels(file.page(at: 1)) != pixels(file))
        }

        @Test func `a page processor selects a page, and others get that as if it were alone`() throws {
            let data = tiff([10, 200, 90])
            let options = KingfisherParsedOptionsInfo(nil)
            let second = PageImageProcessor(page: 1)
            let image = try #require(second.process(item: .data(data), options: options))
            #expect(image.pixelSize == PixelSize(width: 3, height: 3))
            let chain = second |> ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 6))
            let large = try #require(chain.process(item: .data(data), options: options))
            #expect(try large.pixelSize.width == 6 && pixels(large).first == 200)
            let same = try #require(second.process(item: .image(Image(decoding: data)), options: options))
            #expect(try pixels(same) == pixels(image))
            #expect(PageImageProcessor(page: 3).process(item: .data(data), options: options) == nil)
            // What the disk cache keeps shows the page, too.
            let stored = try #require(DefaultCacheSerializer.default.data(with: image, original: data))
            #expect(try Image(decoding: stored).pixelSize == PixelSize(width: 3, height: 3))
        }
    #endif

    #if HEIF
        @Test func `each picture of a HEIC is an image`() throws {
            let file = try image("heif/multi.heic")
            #expect(file.pageCount == 3)
            let pages = try (0..<3).map { try pixels(file.page(at: $0)) }
            let shown = try pixels(file)
            #expect(Set(pages).count == 3 && pages.contains(shown))
            for path in ["heif/alpha.heic", "heif/alpha.avif", "heif/grid.avif", "heif/still.heic"] {
                #expect(try image(path).pageCount == 1, "\(path)")
            }
        }
    #endif

    @Test func `a frame of an animation is a still image`() throws {
        let frames = try [40, 200].map { AnimationFrame(bitmap: try square(4, level: $0), duration: 0.1) }
        let info = ImageInfo(format: .png, size: PixelSize(width: 4, height: 4), frameCount: 2)
        let file = Data(try codecs.encode(frames: FrameList(frames, info: info), as: .png))
        let animation = try Image(decoding: file)
        #expect(animation.pageCount == 2)
        let second = try animation.page(at: 1)
        #expect(try second.frameCount == 1 && pixels(second).first == 200)
        let processed = PageImageProcessor(page: 1).process(
            item: .data(file), options: KingfisherParsedOptionsInfo([.preloadAllAnimationData]))
        #expect(try pixels(#require(processed)).first == 200)
        #expect(throws: CodecError.self) { try animation.page(at: 2) }
    }

    @Test func `a file of one picture has one page`() throws {
        let still = try image("made/alpha.png")
        #expect(try still.pageCount == 1 && still.page(at: 0) === still)
        #expect(throws: CodecError.self) { try still.page(at: 1) }
        #expect(PageImageProcessor(page: 7).identifier == "alcedo.PageImageProcessor(7)")
    }
}
