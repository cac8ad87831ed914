#if Server
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

        @Test func `stay SVG without scripts, or become pixels of the asked size`() async throws {
            var origin = try ImageOrigin()
            origin.server.serve("/s.svg", Array(Self.drawing.utf8))
            let vector = await origin.answer("rs:fit:300:300", "/s.svg")
            #expect(vector.header("Content-Type") == "image/svg+xml")
            #expect(!vector.text.contains("alert") && !vector.text.contains("onclick"))
            #expect(vector.text.contains("<rect width=\"200\" height=\"150\" fill=\"#f00\"/>"))
            #expect(vector.header("Content-Disposition") == "inline; filename=\"s.svg\"")
            origin.answers.sanitizesSVG = false
            #expect(await origin.answer("rs:fit:300:300", "/s.svg").text == Self.drawing)
            #if SVG
                origin.answers.isolation = .automatic
                let bitmap = try await origin.bitmap("rs:fit:300:300", "/s.svg")
                #expect(bitmap.size == PixelSize(width: 300, height: 225))
                #expect(bitmap.pixel(299, 224) == [255, 0, 0, 255])
            #endif
            origin.server.serve("/s.png", try Bitmap.coordinates(4, 4).encoded(as: .png))
            #expect(await origin.answer("w:2", "/s.png", format: "svg").status == 422)
        }

        @Test(arguments: [
            "<svg><script/><g/></svg>", "<svg><SCRIPT>a</SCRIPT><g/></svg>",
            "<svg><s:script xmlns:s='x'>a</s:script><g/></svg>",
            "<svg><foreignObject><p>a</p></foreignObject><g/></svg>", "<svg onload='a'><g/></svg>",
            "<svg OnLoad=\"a\"><g/></svg>", "<svg><script><g>a</g></script><g/></svg>",
            "<svg><set attributeName='href' to='javascript:a'/><g/></svg>",
            "<svg><animate attributeName='onclick' to='a'/><g/></svg>",
            "<svg><!-- <script>a</script> --><g/></svg>",
            "<svg><?xml-stylesheet href='a'?><g/></svg>",
            "<!DOCTYPE svg [<!ENTITY x '<script>'>]><svg><g/></svg>",
        ])
        func `have nothing left that runs`(text: String) throws {
            let result = String(decoding: try SVGSanitizer.sanitized(Data(text.utf8)), as: UTF8.self)
            #expect(result == "<svg><g/></svg>")
        }

        @Test(arguments: [
            "javascript:a", " java\tscript:a", "&#106;avascript:a", "&#x6A;avascript&#58;a", "vbscript:a",
            "data:text/html,a", "data:image/svg+xml,a", "JaVaScRiPt:a",
        ])
        func `have no links that run`(link: String) throws {
            for name in ["href", "xlink:href"] {
                let text = "<svg><a \(name)='\(link)'/></svg>"
                let result = String(decoding: try SVGSanitizer.sanitized(Data(text.utf8)), as: UTF8.self)
                #expect(result == "<svg><a/></svg>")
            }
        }

        @Test(arguments: [
            "<svg><use href=\"#a\"/></svg>", "<svg><image href=\"data:image/png;base64,AAAA\"/></svg>",
            "<svg><a xlink:href=\"https://example.com/?a=1&amp;b=2#c\"/></svg>",
            "<svg><text>a &lt; b</text></svg>",
            "<svg><style><![CDATA[a > b {}]]></style></svg>", "<svg><text title=\"a&quot;b\">ü</text></svg>",
        ])
        func `keep the rest`(text: String) throws {
            #expect(String(decoding: try SVGSanitizer.sanitized(Data(text.utf8)), as: UTF8.self) == text)
        }

        @Test func `keep what entities stand for`() throws {
            let text =
                "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'>]><svg xmlns='&ns;'>&#65;</svg>"
            let result = String(decoding: try SVGSanitizer.sanitized(Data(text.utf8)), as: UTF8.self)
            #expect(result == "<svg xmlns=\"http://www.w3.org/2000/svg\">&#65;</svg>")
        }

        @Test(arguments: [
            "", "<svg>", "<svg></g>", "<html/>", "<svg a=b/>", "<svg a='<'/>", "<svg/><svg/>",
            "<svg>&x;</svg>", "<svg",
            "<svg a='1'b='2'/>", "<svg><!-- ", "<!DOCTYPE svg [", "<svg>&</svg>",
            "<?xml version='1.0' encoding='UTF-7'?><svg/>",
        ])
        func `are refused if malformed`(text: String) {
            #expect(throws: SVGSanitizer.Malformed.self) { try SVGSanitizer.sanitized(Data(text.utf8)) }
        }

        @Test func `that are nested deeply or full of entities end soon`() {
            let deep = String(repeating: "<g>", count: 100_000)
            #expect(throws: SVGSanitizer.Malformed.self) {
                try SVGSanitizer.sanitized(Data("<svg>\(deep)".utf8))
            }
            let value = String(repeating: "x", count: 900)
            let bomb =
                "<!DOCTYPE svg [<!ENTITY e '\(value)'>]><svg>" + String(repeating: "&e;", count: 100_000)
            #expect(throws: SVGSanitizer.Malformed.self) {
                try SVGSanitizer.sanitized(Data("\(bomb)</svg>".utf8))
            }
        }
    }
#endif
