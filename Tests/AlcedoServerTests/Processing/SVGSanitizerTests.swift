import Alcedo
import AlcedoPixels
import Foundation
import Testing

@testable import AlcedoServer

struct `A sanitised SVG` {
    private static let root = "<svg xmlns=\"http://www.w3.org/2000/svg\""
    private static let xlink = " xmlns:xlink=\"http://www.w3.org/1999/xlink\""

    private func sanitized(_ text: String) throws -> String {
        try sanitized(Array(text.utf8))
    }

    private func sanitized(_ bytes: [UInt8]) throws -> String {
        let result = try SVGSanitizer.sanitized(Data(bytes))
        // Its output is unchanged when it is sanitised again.
        #expect(try SVGSanitizer.sanitized(result) == result)
        return String(decoding: result, as: UTF8.self)
    }

    /// The output inside the root.
    private func inside(_ text: String) throws -> String {
        let result = try sanitized("<svg>\(text)</svg>")
        return String(result.dropFirst(Self.root.count + 1).dropLast("</svg>".count))
    }

    // MARK: - What runs

    @Test(arguments: [
        "<script/>", "<SCRIPT>a</SCRIPT>", "<s:script xmlns:s='x'>a</s:script>",
        "<s:script xmlns:s='http://www.w3.org/2000/svg'>a</s:script>",
        "<s:script xmlns:s='http://www.w3.org/1999/xhtml'>a</s:script>",
        "<script xmlns='http://www.w3.org/1999/xhtml' src='//x'/>", "<script\u{FF9E}/>",
        "<\u{301}script/>",
        "<script><![CDATA[a]]></script>", "<script><g>a</g></script>",
        "<foreignObject><p>a</p></foreignObject>",
        "<foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' src='javascript:a'/></foreignObject>",
        "<iframe src='javascript:a'/>", "<frame src='javascript:a'/>", "<frameset><frame/></frameset>",
        "<x:frame xmlns:x='http://www.w3.org/1999/xhtml' src='javascript:a'/>",
        "<x:iframe xmlns:x='http://www.w3.org/1999/xhtml' srcdoc='&lt;script&gt;'/>",
        "<x:a xmlns:x='http://www.w3.org/1999/xhtml' href='#'/>",
        "<x:style xmlns:x='http://www.w3.org/1999/xhtml'>a{}</x:style>", "<embed src='x'/>",
        "<object data='x'/>",
        "<audio src='x'/>", "<video src='x'/>", "<handler type='a'>b</handler>",
        "<listener event='load'/>",
        "<x:listener xmlns:x='http://www.w3.org/2001/xml-events' event='load' handler='#x'/>",
        "<meta http-equiv='refresh'/>", "<link rel='stylesheet' href='x'/>", "<base href='javascript:'/>",
        "<form action='javascript:a'/>", "<metadata><script/></metadata>", "<discard/>", "<math/>",
        "<tref/>",
        "<font-face-uri href='x'/>", "<color-profile href='x'/>", "<unknown/>",
        "<set attributeName='href' to='javascript:a'/>",
        "<set attributeName='xlink:href' to='javascript:a'/>",
        "<set attributeName=' href ' to='javascript:a'/>",
        "<set attributeName='&#104;ref' to='javascript:a'/>",
        "<set attributeName='onclick' to='a'/>", "<set attributeName='style' to='a'/>",
        "<animate attributeName='href' values='javascript:a;b'/>",
        "<animate attributeName='OnClick' to='a'/>",
        "<animateColor attributeName='fill'/>", "<!-- <script>a</script> -->",
        "<?xml-stylesheet href='a'?>",
    ])
    func `a sanitised SVG has no element that runs something`(text: String) throws {
        #expect(try inside(text + "<g/>") == "<g/>")
    }

    @Test(arguments: [
        "onload='a'", "OnLoad='a'", "ONLOAD='a'", "onload&#9;='a'", "on\u{301}load='a'",
        "onload\u{FF9E}='a'",
        "ev:event='click'", "x:onload='a'", "xlink:onload='a'", "xml:base='javascript:'",
        "base='javascript:'",
        "src='javascript:a'", "srcdoc='a'", "action='javascript:a'", "formaction='javascript:a'",
        "ping='x'",
        "data='x'", "xlink:actuate='onLoad'", "xlink:show='embed'", "handler='#x'",
        "externalResourcesRequired='true'",
        "xmlns:x='http://www.w3.org/1999/xhtml'", "data-x='a'", "target='_top'", "download='a'",
        "autofocus=''",
    ])
    func `a sanitised SVG has no attribute that runs something`(attribute: String) throws {
        if attribute.contains("&") {
            #expect(throws: SVGSanitizer.Malformed.self) { try inside("<g \(attribute)/>") }
        } else {
            #expect(try inside("<g \(attribute)/>") == "<g/>")
        }
    }

    @Test(arguments: [
        "javascript:a", " java\tscript:a", "&#106;avascript:a", "&#x6A;avascript&#58;a", "vbscript:a",
        "JaVaScRiPt:a", "javascript:&#xFF9E;=a", "javascript:\u{FF9E}=a", "javascript:&#x0E33;a",
        "javascript:\u{0E33}a", "javascript\u{0600}:a", "java&#9;script:a", "java&#10;script:a",
        "java&#13;script:a",
        "&#32;javascript:a", "j&#x0a;avascript:a", "javascript&colon;a", "feed:javascript:a",
        "data:text/html,a",
        "data:text/html;base64,PHNjcmlwdD4=", "data:image/svg+xml,a",
        "data:image/svg+xml;base64,PHN2Zy8+#x",
        "data:image/png", "data:image/pngx,a", "data:application/xml,a", "data:,a", "http://x/",
        "https://x/#a", "//x/",
        "/x.svg#a", "x.svg#a", "?a", "", ".", "blob:x", "file:///etc/passwd", "view-source:x",
        "\u{FEFF}javascript:a",
        "\u{a0}javascript:a", "\u{2028}javascript:a", "&#x1f;javascript:a", "&#0;javascript:a",
    ])
    func `a sanitised SVG has no link that runs or leads elsewhere`(link: String) throws {
        for name in ["href", "xlink:href"] {
            for element in [
                "a", "use", "linearGradient", "pattern", "textPath", "mpath", "animate", "filter",
            ] {
                let result = try? inside("<\(element) \(name)='\(link)'/>")
                // Characters that XML does not allow make the whole SVG malformed.
                #expect(
                    result == "<\(element)/>" || result == nil && link.contains("&"), "\(result ?? "")")
            }
        }
        if !link.hasPrefix("data:image/png,"), let result = try? inside("<image href='\(link)'/>") {
            #expect(result == "<image/>")
        }
    }

    @Test(arguments: ["png", "jpeg", "jpg", "gif", "webp", "avif", "PNG"])
    func `a sanitised SVG has pixels inside images only`(type: String) throws {
        let link = "data:image/\(type);base64,AAAA"
        #expect(try inside("<image href='\(link)'/>") == "<image href=\"\(link)\"/>")
        #expect(try inside("<feImage href=' \(link)'/>") == "<feImage href=\"\(link)\"/>")
        #expect(try inside("<use href='\(link)'/>") == "<use/>")
        #expect(try inside("<a href='\(link)'/>") == "<a/>")
    }

    // MARK: - Styles

    @Test(arguments: [
        ("@import 'x';a{fill:red}", " a{fill:red}"), ("@import url(//x/a;b) screen;a{}", " a{}"),
        ("@IMPORT \"x\";a{}", " a{}"), ("@im/**/port 'x';a{}", " a{}"), ("@charset 'utf-7';a{}", " a{}"),
        ("@namespace url(x);a{}", " a{}"), ("@import 'x'", " "),
        ("@media print{@import 'x';a{}}", "@media print{ a{}}"),
        ("@media print{@x y}a{}", "@media print{ }a{}"), ("@document url(x){a{}}b{}", " b{}"),
        ("a{fill:url(http://x/)}", "a{fill: none }"), ("a{fill:url('//x/')}", "a{fill: none }"),
        ("a{fill:URL( x )}", "a{fill: none }"), ("a{fill:url(#b)}", "a{fill:url(#b)}"),
        ("a{fill:url( \"#b\" )}", "a{fill:url( \"#b\" )}"),
        ("a{mask:url(data:image/png;base64,AA)}", "a{mask:url(data:image/png;base64,AA)}"),
        ("a{mask:url(data:image/svg+xml,x)}", "a{mask: none }"),
        ("a{b:url(javascript:c)}", "a{b: none }"),
        ("a{width:expression(b(c))}", "a{width: none }"), ("a{b:exp/**/ression(c)}", "a{b:exp  none }"),
        ("a{b:image-set('x' 1x)}", "a{b: none }"), ("a{b:-webkit-image-set(url(x) 1x)}", "a{b: none }"),
        ("a{b:src('x')}", "a{b: none }"), ("a{b:image(x)}", "a{b: none }"),
        ("a{-moz-binding:url(x#y)}", "a{-moz-binding: none }"),
        ("a{behavior:url(x.htc)}", "a{behavior: none }"), ("a{fill:rgb(1,2,3)}", "a{fill:rgb(1,2,3)}"),
        ("a{b:calc(1px + (2px))}", "a{b:calc(1px + (2px))}"),
        ("a[href='url(x']{b:c}", "a[href='url(x']{b:c}"),
        ("@font-face{src:url(x.woff)}", "@font-face{src: none }"), ("a{}/* url(x) */b{}", "a{} b{}"),
        ("<!-- a{} -->", "&lt;!-- a{} --&gt;"), ("a > b{}", "a &gt; b{}"), ("u\u{301}rl(x)", " none "),
    ])
    func `a sanitised SVG has styles that load nothing`(css: String, kept: String) throws {
        #expect(try inside("<style><![CDATA[\(css)]]></style>") == "<style>\(kept)</style>")
    }

    @Test(arguments: [
        "@\\69mport 'x';", "a{b:u\\72l(x)}", "a{b:\\75 rl(x)}", "a{b:url(\\x)}", "a{b:'\\''}", "a{b:'",
        "/* a", "a{b:url(x",
        "a{b:url(x y)}", "a{b:url('x' y)}", "a{b:url(x'y)}", "a{b:foo(", "a{b:'\n'}", "@x ((",
    ])
    func `a sanitised SVG has no styles that can't be read for sure`(css: String) throws {
        #expect(try inside("<style><![CDATA[\(css)]]></style><g/>") == "<g/>")
    }

    @Test func `a sanitised SVG has attributes that load nothing`() throws {
        #expect(try inside("<g style='fill:red'/>") == "<g style=\"fill:red\"/>")
        #expect(
            try inside("<g style='fill:url(//x)' fill='url(x)' mask='url(#m)'/>")
                == "<g style=\"fill: none \" fill=\" none \" mask=\"url(#m)\"/>")
        #expect(
            try inside("<g filter='u\\rl(x)' cursor='url(//x),auto'/>") == "<g cursor=\" none ,auto\"/>")
        #expect(
            try inside("<animate attributeName='fill' values='red;url(//x)'/>")
                == "<animate attributeName=\"fill\" values=\"red; none \"/>")
        #expect(try inside("<style>a{<b>c{}</b>}</style>") == "<style>a{}</style>")
        #expect(try inside("<style/>") == "<style/>")
    }

    // MARK: - What stays

    @Test(arguments: [
        "<use href=\"#a\"/>", "<text>a &lt; b</text>", "<text aria-label=\"a&quot;b\">ü</text>",
        "<a href=\"#b\">c</a>",
        "<path d=\"M0 0L1 1z\" transform=\"rotate(45)\" stroke-width=\"2\" class=\"a b\" id=\"c(1)\"/>",
        "<linearGradient gradientUnits=\"userSpaceOnUse\"><stop offset=\"0\" stop-color=\"#fff\"/></linearGradient>",
        "<filter><feGaussianBlur stdDeviation=\"3\"/></filter>",
        "<text xml:space=\"preserve\"> a </text>",
        "<animateTransform attributeName=\"transform\" type=\"rotate\" from=\"0\" to=\"360\" dur=\"1s\" repeatCount=\"indefinite\"/>",
        "<animateMotion dur=\"1s\"><mpath href=\"#p\"/></animateMotion>",
        "<title>a</title><desc>b</desc>",
        "<text font-family=\"'Open Sans', serif\">a</text>", "<text>a&#13;b\tc\nd</text>",
    ])
    func `a sanitised SVG draws as before`(text: String) throws {
        #expect(try inside(text) == text)
    }

    @Test func `a sanitised SVG has one spelling`() throws {
        let svg = "http://www.w3.org/2000/svg"
        #expect(
            try sanitized("<s:svg xmlns:s='\(svg)'><s:g a:href='x' xmlns:a='b'/></s:svg>")
                == "\(Self.root)><g/></svg>")
        #expect(
            try sanitized(
                "<svg xmlns='\(svg)' xmlns:l='http://www.w3.org/1999/xlink'><use l:href='#a'/></svg>")
                == "\(Self.root)\(Self.xlink)><use xlink:href=\"#a\"/></svg>")
        #expect(
            try sanitized("<svg><use xlink:href='#a' href='#b'/></svg>")
                == "\(Self.root)\(Self.xlink)><use xlink:href=\"#a\" href=\"#b\"/></svg>")
        #expect(
            try sanitized("<svg xmlns='\(svg)'><g xmlns=''><g/></g><g/></svg>")
                == "\(Self.root)><g/></svg>")
        #expect(try inside("<g id='a' id='b'/>") == "<g id=\"a\"/>")
        #expect(
            try inside("<text>&#65;&lt;script&gt;<![CDATA[<script>&]]>]]&gt;</text>")
                == "<text>A&lt;script&gt;&lt;script&gt;&amp;]]&gt;</text>")
        #expect(try inside("<g id='a\n\tb&#10;c\"&lt;'/>") == "<g id=\"a  b&#10;c&quot;&lt;\"/>")
    }

    @Test func `a sanitised SVG has the text of its entities`() throws {
        let text =
            "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'><!ENTITY x '#a'>]><svg xmlns='&ns;'><use href='&x;'/>&#65;</svg>"
        #expect(try sanitized(text) == "\(Self.root)><use href=\"#a\"/>A</svg>")
        let script =
            "<!DOCTYPE svg [<!ENTITY x 'javascript:a'><!ENTITY y \"<script>\"><!ENTITY amp '<'>]>"
        #expect(
            try sanitized("\(script)<svg><a href='&x;'/>&amp;</svg>") == "\(Self.root)><a/>&amp;</svg>")
        for value in ["<script>", "&#60;script>", "%a;", "\u{3c}\u{301}script>"] {
            #expect(throws: SVGSanitizer.Malformed.self) {
                try sanitized("<!DOCTYPE svg [<!ENTITY y '\(value)'>]><svg>&y;</svg>")
            }
        }
        #expect(throws: SVGSanitizer.Malformed.self) {
            try sanitized("<!DOCTYPE svg [<!ENTITY y SYSTEM 'file:///etc/passwd'>]><svg>&y;</svg>")
        }
    }

    #if SVG
        @Test func `a sanitised SVG is drawn like the original`() throws {
            let text = """
                <svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink' width='40' height='30'>
                <style><![CDATA[.a > rect { fill: url(#g) } /* b */ .c { fill: rgb(0,0,255) }]]></style>
                <defs><linearGradient id='g'><stop stop-color='red'/><stop offset='1' style='stop-color:#0f0'/></linearGradient>
                <circle id='d' r='8' class='c'/></defs>
                <g class='a'><rect width='40' height='30'/></g><use x:href='#d' transform='translate(20 15)'/></svg>
                """
            let before = try Image(decoding: Data(text.utf8)).bitmap()
            let after = try Image(decoding: try SVGSanitizer.sanitized(Data(text.utf8))).bitmap()
            #expect(before.size == PixelSize(width: 40, height: 30))
            for (x, y) in [(0, 0), (39, 29), (20, 15), (5, 20), (30, 3)] {
                #expect(before.pixel(x, y) == after.pixel(x, y))
            }
        }
    #endif

    // MARK: - Rejected

    @Test(arguments: [
        "", "<svg>", "<svg></g>", "<html/>", "<svg a=b/>", "<svg a='<'/>", "<svg/><svg/>",
        "<svg>&x;</svg>", "<svg",
        "<svg a='1'b='2'/>", "<svg><!-- ", "<svg><!--></svg>", "<!DOCTYPE svg [", "<svg>&</svg>",
        "<SVG/>",
        "<svg xmlns='http://www.w3.org/1999/xhtml'/>", "<x:svg/>", "<svg>&#0;</svg>", "<svg>&#x1f;</svg>",
        "<svg>&#xD800;</svg>",
        "<svg>&#xFFFF;</svg>", "<svg>&#X41;</svg>", "<svg>&#+65;</svg>", "<svg>&#;</svg>",
        "<svg>&#99999999999;</svg>",
        "<svg>\u{0}</svg>", "<svg>\u{c}</svg>", "<svg\u{b}a='b'/>", "<svg>\u{FFFE}</svg>",
        "<svg id='\u{1}'/>",
        "<?xml version='1.0' encoding='UTF-7'?><svg/>", "<?xml version='1.0' encoding='UTF-16'?><svg/>",
        "<?xml version='1.0' encoding='x'?>\u{301}<!-- utf-8 --><svg/>", "+ADw-svg+AD4-",
        "<script/><svg/>",
    ])
    func `a malformed SVG has no sanitised form`(text: String) {
        #expect(throws: SVGSanitizer.Malformed.self) { try SVGSanitizer.sanitized(Data(text.utf8)) }
    }

    @Test func `an SVG that is not in UTF-8 or Latin-1 has no sanitised form`() throws {
        let text = "<svg><script>a</script></svg>"
        for encoding in [
            String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
        ] {
            let data = try #require(text.data(using: encoding))
            #expect(throws: SVGSanitizer.Malformed.self) { try SVGSanitizer.sanitized(data) }
        }
        #expect(throws: SVGSanitizer.Malformed.self) {
            try sanitized(Array("<svg>".utf8) + [0xC0, 0xBC] + "</svg>".utf8)
        }
        #expect(
            try sanitized([0xEF, 0xBB, 0xBF] + Array("<svg><g/></svg>".utf8)) == "\(Self.root)><g/></svg>"
        )
        let latin =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><svg><text>".utf8) + [0xFC]
            + "</text></svg>".utf8
        #expect(try sanitized(latin) == "\(Self.root)><text>ü</text></svg>")
    }

    @Test func `sanitising an SVG that is nested deeply or full of entities or namespaces ends soon`() {
        let deep = String(repeating: "<g>", count: 100_000)
        #expect(throws: SVGSanitizer.Malformed.self) { try sanitized("<svg>\(deep)") }
        let value = String(repeating: "x", count: 900)
        let bomb =
            "<!DOCTYPE svg [<!ENTITY e '\(value)'>]><svg>" + String(repeating: "&e;", count: 100_000)
        #expect(throws: SVGSanitizer.Malformed.self) { try sanitized("\(bomb)</svg>") }
        let names = (0..<900).map { "xmlns:n\($0)='http://www.w3.org/2000/svg'" }.joined(separator: " ")
        #expect(throws: SVGSanitizer.Malformed.self) { try sanitized("<svg \(names)/>") }
    }
}
