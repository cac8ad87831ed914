import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `BMP, ICO and TIFF from the server` {
    private let origin: ImageOrigin

    init() throws {
        origin = try ImageOrigin()
        let clear = try Bitmap.drawn(32, 16, alpha: .premultiplied) { x, _ in
            x < 16 ? [0, 0, 0, 0] : [200, 9, 9, 255]
        }
        origin.server.serve("/clear", try clear.encoded(as: .png))
        origin.server.serve("/large.png", try Bitmap.coordinates(512, 256).encoded(as: .png))
    }

    @Test(arguments: [("bmp", "image/bmp"), ("ico", "image/x-icon"), ("tiff", "image/tiff")])
    func `BMP, ICO and TIFF are the result without loss`(format: String, type: String) async throws {
        guard CodecRegistry.shared.encodableFormats.contains(EncodedFormat(rawValue: format)) else {
            return
        }
        let response = await origin.get("w:100", "/large.png", format: format)
        #expect(response.status == 200 && response.header("Content-Type") == type)
        #expect(response.header("Content-Disposition") == "inline; filename=\"large.\(format)\"")
        #expect(response.format?.rawValue == format)
        let expected = try await origin.bitmap("w:100", "/large.png")
        #expect(try Image(decoding: response.body).bitmap().hasSamePixels(as: expected))
    }

    @Test(arguments: ["ico", "tiff"])
    func `BMP, ICO and TIFF keep alpha`(format: String) async throws {
        guard CodecRegistry.shared.encodableFormats.contains(EncodedFormat(rawValue: format)) else {
            return
        }
        let bitmap = try await origin.bitmap("w:32", "/clear", format: format)
        #expect(bitmap.pixel(0, 0) == [0, 0, 0, 0] && bitmap.pixel(31, 15) == [200, 9, 9, 255])
    }

    @Test func `a BMP has white behind it, and an icon at most 256 pixels a side`() async throws {
        let bitmap = try await origin.bitmap("w:32", "/clear", format: "bmp")
        #expect(bitmap.pixel(0, 0) == [255, 255, 255, 255])
        let icon = try await origin.bitmap("w:512", "/large.png", format: "ico")
        #expect(icon.size == PixelSize(width: 256, height: 128))
    }
}
