import AlcedoPixels
import Testing

@testable import AlcedoSVG

/// Styles that XML or CSS lets one write in other ways than the plain one, and that count all the same.
struct `A style that is hidden` {
    private static func document(_ content: String) throws -> SVGDocument {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' width='4000' height='4000'>\(content)</svg>"
        return try SVGDocument(
            Array(text.utf8).span.bytes, limits: DecodeLimits(), withImages: true)
    }

    /// The text that librsvg would get.
    private static func text(_ content: String) throws -> String {
        let size = PixelSize(width: 4000, height: 4000)
        let text = try document(content).text(
            drawnAt: size, natural: (4000, 4000), limits: DecodeLimits())
        return String(decoding: text, as: UTF8.self)
    }

    /// Ways to fill a thousand rectangles with a pattern of a thousand paths, by a sheet or an attribute.
    @Test(arguments: [
        ("rect{fill:url(#p)}", ""), ("rect{fill:u&#x72;l(&#35;p)}", ""), ("", "fill='u&#x72;l(&#35;p)'"),
        ("", "fill='url(&#00000000000000000000035;p)'"),
        ("", "style='fill:url(&#x0000000000000000023;p)'"),
        ("rect{fill:u<!-- -->rl(<!-- -->#p)}", ""), ("rect{fill:u<![CDATA[rl(#]]>p)}", ""),
        ("rect{fill:u<?x y?>rl(#p)}", ""), ("rect{fill:u<g>a</g>rl(<g/>#p)}", ""),
        ("a{fill:url(\"#x\n}rect{fill:url(#p)}b{fill:\"red\"}", ""),
    ])
    func `an SVG's hidden style is counted`(_ sheet: String, _ attribute: String) throws {
        let pattern = "<pattern id='p'>\(String(repeating: "<path/>", count: 1000))</pattern>"
        let rectangles = String(repeating: "<rect \(attribute)/>", count: 1000)
        let error = try #require(throws: CodecError.self) {
            try Self.text("<style>\(sheet)</style>" + pattern + rectangles)
        }
        guard case .unsupported(.svg, let reason) = error else {
            Issue.record("that is \(error)")
            return
        }
        #expect(reason.contains("it draws too many elements"))
    }

    @Test(arguments: [
        "<rect style='f&#92;69lter:url(#f)'/>", "<rect style='f\\69lter:url(#f)'/>",
        "<style>rect{f&#92;69lter:url(#f)}</style><rect/>",
        "<style><![CDATA[rect{f\\69lter:url(#f)}]]></style><rect/>",
        "<style>@import url('data:text/css,rect{opacity:.5}');</style><rect/>",
        "<style>@imp<!-- -->ort 'other.css';</style><rect/>",
        "<style>@&#73;MPORT url(data:text/css;base64,eA==);</style><rect/>",
        "<rect fill='url(data:image/svg+xml;base64,eA==#g)'/>",
        "<rect style='mask:URL( \"data:image/svg+xml,x#m\" )'/>",
        "<rect style=\"filter:url(#f) url('https://x.test/y#m')\"/>",
        "<style>rect{fill:url(\"#x\n} b{fill:url(data:image/svg+xml,y#z)} c{fill:\"red\"}</style>",
    ])
    func `an SVG's hidden style has neither escapes nor other documents for librsvg`(_ content: String) throws
    {
        let text = try Self.text(content).lowercased()
        for part in ["\\", "@import", "data:", "https:", "&#"] { #expect(!text.contains(part)) }
    }

    @Test func `an SVG keeps styles and texts that are not hidden`() throws {
        let sheet = "@import 'x'; /* a, b */ rect > g { fill: url( \"#a\" ) red; content: 'b &amp; c' }"
        let text = try Self.text("<style>\(sheet)</style><text x='1' id='&quot;a&quot;'>a &lt; b</text>")
        #expect(
            text.contains(
                "<style>@ignore 'x';   rect &gt; g { fill: url(&quot;#a&quot; ) red; content: 'b &amp; c' }</style>"
            ))
        #expect(text.contains("<text x=\"1\" id=\"&quot;a&quot;\">a &lt; b</text>"))
    }
}
