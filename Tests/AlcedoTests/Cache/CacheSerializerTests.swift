import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `The default cache serializer` {
    let serializer = DefaultCacheSerializer.default
    let opaque: Image
    let transparent: Image
    let png: Data
    let jpeg: Data

    init() throws {
        opaque = Image(bitmap: try Sample.bitmap(8, 8))
        transparent = Image(bitmap: try Sample.bitmap(8, 8, bgra: [10, 20, 30, 60], alpha: .premultiplied))
        png = Data(try Sample.png(8, 8))
        jpeg = Data(try Sample.jpeg(8, 8))
    }

    @Test(arguments: ["jpeg/testorig.jpg", "pngsuite/png/basn6a08.png", "gif/fire.gif"])
    func `the default serializer stores an unchanged image as its own bytes`(fixture: String) throws {
        let bytes = Data(try Fixture.data(fixture))
        let image = try Image(decoding: bytes)
        #expect(serializer.data(with: image, original: nil) == bytes)
        #expect(serializer.data(with: image.kf.scaled(to: 3), original: png) == bytes)
    }

    @Test func `the default serializer stores a changed image in the original's format`() throws {
        #expect(serializer.data(with: opaque, original: jpeg)?.kf.imageFormat == .JPEG)
        #expect(serializer.data(with: opaque, original: png)?.kf.imageFormat == .PNG)
    }

    @Test
    func `the default serializer stores PNG where the original's format is unknown or holds less`() throws {
        for original in [nil, Data("unknown format".utf8), Data(try Fixture.data("gif/fire.gif"))] {
            #expect(serializer.data(with: opaque, original: original)?.kf.imageFormat == .PNG)
        }
        let stored = try #require(serializer.data(with: transparent, original: jpeg))
        #expect(stored.kf.imageFormat == .PNG)
        #expect(try Image(decoding: stored).bitmap().pixel(0, 0)[3] == 60)
    }

    @Test func `serializers of disk caches write JPEGs quickly, with the same pixels`() throws {
        let photograph = try Image(decoding: Data(try Fixture.data("jpeg/testorig.jpg")))
        let changed = Image(bitmap: try photograph.bitmap())
        let small = try #require(changed.kf.jpegRepresentation(compressionQuality: 1))
        for serializer in [serializer, FormatIndicatedCacheSerializer.jpeg] as [any CacheSerializer] {
            let stored = try #require(serializer.data(with: changed, original: jpeg))
            #expect(stored.count > small.count)
            #expect(try Image(decoding: stored).bitmap().hasSamePixels(as: Image(decoding: small).bitmap()))
        }
    }

    @Test func `the default serializer writes JPEGs with its quality`() throws {
        let noisy = try Image(decoding: Data(try Fixture.data("jpeg/testorig.jpg")))
        let changed = Image(bitmap: try noisy.bitmap())
        var small = serializer
        small.compressionQuality = 0.2
        let (best, worst) = (
            serializer.data(with: changed, original: jpeg), small.data(with: changed, original: jpeg)
        )
        #expect(try #require(best).count > 2 * (try #require(worst).count))
    }

    @Test func `the default serializer stores the original when that is preferred, and says so`() throws {
        var original = serializer
        original.preferCacheOriginalData = true
        #expect(original.originalDataUsed && !serializer.originalDataUsed)
        #expect(original.data(with: opaque, original: jpeg) == jpeg)
        #expect(original.data(with: opaque, original: nil)?.kf.imageFormat == .PNG)
    }

    @Test
    func `the default serializer makes an image at the options' scale, or none of other bytes`() throws {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
        #expect(serializer.image(with: png, options: options)?.size == CGSize(width: 4, height: 4))
        #expect(serializer.image(with: Data("no image".utf8), options: options) == nil)
    }
}

struct `A format-indicated cache serializer` {
    let opaque: Image
    let jpeg: Data
    let gif: Data

    init() throws {
        opaque = Image(bitmap: try Sample.bitmap(8, 8))
        jpeg = Data(try Sample.jpeg(8, 8))
        gif = Data(try Fixture.data("gif/fire.gif"))
    }

    @Test func `a format-indicated serializer stores its format, whatever the original's`() throws {
        #expect(FormatIndicatedCacheSerializer.png.data(with: opaque, original: jpeg)?.kf.imageFormat == .PNG)
        #expect(
            FormatIndicatedCacheSerializer.jpeg.data(with: opaque, original: gif)?.kf.imageFormat == .JPEG)
        let image = try Image(decoding: jpeg)
        #expect(FormatIndicatedCacheSerializer.png.data(with: image, original: nil)?.kf.imageFormat == .PNG)
    }

    @Test func `a format-indicated serializer stores the bytes of a GIF`() throws {
        let image = try Image(decoding: gif)
        #expect(FormatIndicatedCacheSerializer.gif.data(with: image, original: nil) == gif)
    }

    @Test
    func `a format-indicated serializer never stores the original in place of a changed image`() throws {
        let serializer = FormatIndicatedCacheSerializer.gif
        for original in [gif, Data("bytes of some other format".utf8), nil] {
            let stored = try #require(serializer.data(with: opaque, original: original))
            #expect(try Image(decoding: stored).bitmap().pixel(1, 1) == opaque.bitmap().pixel(1, 1))
            #expect(stored.kf.imageFormat == .GIF)
        }
    }

    @Test
    func `a format-indicated serializer falls back to the original's format or unchanged bytes`() throws {
        // Wider than a JPEG can be, and in the second case than a GIF can be.
        let serializer = FormatIndicatedCacheSerializer.jpeg
        let wide = Image(bitmap: try Sample.bitmap(65_510, 1))
        #expect(serializer.data(with: wide, original: gif)?.kf.imageFormat == .GIF)
        let wider = try Image(decoding: Image(bitmap: Sample.bitmap(65_540, 1)).data(as: .png))
        #expect(serializer.data(with: wider, original: gif) == wider.kf.pngRepresentation())
    }

    @Test func `a format-indicated serializer writes JPEGs with its quality`() throws {
        let pixels = try Image(decoding: Data(try Fixture.data("jpeg/testorig.jpg"))).bitmap()
        let best = FormatIndicatedCacheSerializer.jpeg.data(with: Image(bitmap: pixels), original: nil)
        let worst = FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.1)
            .data(with: Image(bitmap: pixels), original: nil)
        #expect(try #require(best).count > 2 * (try #require(worst).count))
    }

    @Test func `a format-indicated serializer rewrites an unchanged JPEG only for a lower quality`() throws {
        let bytes = Data(try Fixture.data("jpeg/testorig.jpg"))
        let image = try Image(decoding: bytes)
        #expect(FormatIndicatedCacheSerializer.jpeg.data(with: image, original: bytes) == bytes)
        let small = FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.1)
            .data(with: image, original: bytes)
        #expect(try #require(small).count < bytes.count / 2)
    }
}
