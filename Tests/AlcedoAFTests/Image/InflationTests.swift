import Alcedo
import AlcedoAF
import AlcedoTestSupport
import Foundation
import Testing

struct `Inflating an image` {
    private let image: AlcedoAF.Image

    init() throws {
        image = try Image(decoding: Data(Fixture.data("made/alpha.png")))
    }

    @Test func `inflating an image decodes it once`() throws {
        #expect(!image.af.isInflated)
        image.af.inflate()
        #expect(image.af.isInflated)
        let bitmap = try image.bitmap()
        image.af.inflate()
        #expect(try image.bitmap() === bitmap)
    }

    @Test func `inflating an image can be set by the property, and is not undone`() {
        image.af.isInflated = false
        #expect(!image.af.isInflated)
        image.af.isInflated = true
        #expect(image.af.isInflated)
        image.af.isInflated = false
        #expect(image.af.isInflated)
    }

    @Test func `inflating leaves a damaged image alone`() throws {
        var bytes = try Fixture.data("pngsuite/png/basn6a08.png")
        bytes[bytes.count / 2] ^= 0xFF
        let damaged = try Image(decoding: Data(bytes))
        damaged.af.inflate()
        #expect(!damaged.af.isInflated)
    }
}

struct `An image's alpha` {
    @Test(arguments: [("made/alpha.png", true), ("made/grey.jpg", false), ("made/lossy.webp", false)])
    func `an image's alpha is known without decoding`(path: String, hasAlpha: Bool) throws {
        let image = try Image(decoding: Data(Fixture.data(path)))
        #expect(image.af.containsAlphaComponent == hasAlpha)
        #expect(image.af.isOpaque == !hasAlpha)
        #expect(!image.af.isInflated)
    }

    @Test func `the alpha of an image of drawn pixels is that of the pixels`() throws {
        #expect(Image(bitmap: try .make(1, 1) { _, _ in red }).af.isOpaque)
        #expect(Image(bitmap: try .make(1, 1, .premultiplied) { _, _ in clear }).af.containsAlphaComponent)
    }
}
