import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `SVG results` {
    private static let drawing = """
        <?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="200" height="150">\
        <script>alert(1)</script><rect width="200" height="150" fill="#f00" onclick="go()"/></svg>
        """

    @Test func `SVG results stay SVG without scripts, or become pixels of the requested size`() async throws {
        var origin = try ImageOrigin()
        origin.server.serve("/s.svg", Array(Self.drawing.utf8))
        let vector = await origin.get("rs:fit:300:300", "/s.svg")
        #expect(vector.header("Content-Type") == "image/svg+xml")
        #expect(!vector.text.contains("alert") && !vector.text.contains("onclick"))
        #expect(vector.text.contains("<rect width=\"200\" height=\"150\" fill=\"#f00\"/>"))
        #expect(vector.header("Content-Disposition") == "inline; filename=\"s.svg\"")
        origin.responses.sanitizesSVG = false
        #expect(await origin.get("rs:fit:300:300", "/s.svg").text == Self.drawing)
        #if SVG
            origin.responses.isolation = .automatic
            let large = Self.drawing.replacing("\"200\"", with: "\"200000\"")
                .replacing("\"150\"", with: "\"150000\"")
            origin.server.serve("/large.svg", Array(large.utf8))
            #expect(try await origin.bitmap("w:100", "/large.svg").size == PixelSize(width: 100, height: 75))
            #expect(await origin.get("q:80", "/large.svg", format: "png").status == 422)
            let bitmap = try await origin.bitmap("rs:fit:300:300", "/s.svg")
            #expect(bitmap.size == PixelSize(width: 300, height: 225))
            #expect(bitmap.pixel(299, 224) == [255, 0, 0, 255])
            origin.responses.rasterizesSVG = true
            #expect(await origin.get("w:100", "/s.svg").format == .png)
            #expect(
                await origin.get("w:100", "/s.svg", format: "svg").header("Content-Type") == "image/svg+xml")
        #endif
        origin.server.serve("/s.png", try Bitmap.coordinates(4, 4).encoded(as: .png))
        #expect(await origin.get("w:2", "/s.png", format: "svg").status == 422)
    }
}
