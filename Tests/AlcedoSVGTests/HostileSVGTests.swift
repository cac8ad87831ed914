#if SVG
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoSVG
    import AlcedoTestSupport
    import Foundation
    import Testing

    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `Hostile SVGs` {
        let codec = SVGCodec()

        private func decode(_ text: String) throws -> Bitmap {
            try codec.decode(Array(text.utf8).span.bytes, options: .init { $0.limits.seconds = 300 })
        }

        private func svg(_ content: String, side: Int = 100) -> String {
            "<svg xmlns='http://www.w3.org/2000/svg' width='\(side)' height='\(side)'>\(content)</svg>"
        }

        /// Rejected before librsvg sees it, by what it does to librsvg.
        @Test(arguments: [
            "references nested without end", "patterns nested without end", "elements nested without end",
            "references that multiply", "patterns that multiply", "layers", "a filter of many octaves",
            "a filter of a large radius", "markers", "a large style sheet", "tiles of nothing",
        ])
        func `an SVG of work without end is rejected`(_ kind: String) {
            let content =
                switch kind {
                case "references nested without end":
                    (0..<20_000).map { "<g id='a\($0)'><use href='#a\($0 + 1)'/></g>" }.joined()
                case "patterns nested without end":
                    (0..<500).map {
                        "<pattern id='a\($0)' width='1' height='1'><path d='M0 0' fill='url(#a\($0 + 1))'/></pattern>"
                    }.joined() + "<rect style=\"fill: url( '#a0' )\"/>"
                case "elements nested without end":
                    String(repeating: "<g>", count: 5000) + String(repeating: "</g>", count: 5000)
                case "references that multiply":
                    "<rect id='a0'/>"
                        + (1..<12).map {
                            "<g id='a\($0)'>"
                                + String(repeating: "<use href='&#35;a\($0 - 1)'/>", count: 8) + "</g>"
                        }.joined()
                case "patterns that multiply":
                    "<style>rect { fill: url(#p) }</style>"
                        + "<pattern id='p'>\(String(repeating: "<path/>", count: 1000))</pattern>"
                        + String(repeating: "<rect/>", count: 1000)
                case "layers": String(repeating: "<g opacity='.9'><rect/></g>", count: 3000)
                case "a filter of many octaves":
                    "<filter id='f'><feTurbulence numOctaves='1000000'/></filter><rect filter='url(#f)'/>"
                case "a filter of a large radius":
                    "<filter id='f'><feMorphology radius='5000'/></filter><rect filter='url(#f)'/>"
                case "markers":
                    "<marker id='m'>\(String(repeating: "<path/>", count: 1000))</marker>"
                        + "<path marker-mid='url(#m)' d='\(String(repeating: "1 1 ", count: 1000))'/>"
                case "tiles of nothing":
                    "<filter id='f'><feFlood x='5' width='5'/><feTile/></filter>"
                        + "<rect x='40' width='9' height='9' filter='url(#f)'/>"
                default:
                    "<style>\(String(repeating: "g > g {}", count: 10_000))</style>"
                        + String(repeating: "<g/>", count: 10_000)
                }
            #expect(throws: CodecError.self) { try decode(svg(content, side: 1000)) }
        }

        /// What takes librsvg or cairo far more time than its bytes suggest, with the error that says so.
        static let slow: [String: (limit: String, content: String)] = {
            let word = "lorem ipsum dolor "
            let stops = String(repeating: "<stop offset='.5' stop-color='red'/>", count: 4000)
            let filled = String(repeating: "<rect width='9' height='9' fill='url(#g)'/>", count: 2000)
            let lines = (0..<80_000).map { " L\(50 + Double($0 % 7) * 0.3) \(50 + Double($0 % 11) * 0.3)" }
            let strokes = (0..<20_000).map { " L\($0 % 100) \($0)" }.joined()
            let names = (0..<30_000).map { "f\($0)" }
            return [
                "a long text": (
                    "squared characters", "<text y='20'>\(String(repeating: word, count: 1200))</text>"
                ),
                "a long text in comments": (
                    "squared characters",
                    "<text y='20'>\(String(repeating: word + "<!-- -->", count: 1200))</text>"
                ),
                "enlarged text": ("letters are too large", "<text y='20' transform='scale(1e9)'>abc</text>"),
                "many texts": (
                    "too many characters",
                    String(
                        repeating: "<text y='20'>\(String(repeating: word, count: 20))</text>", count: 1400)
                ),
                "many stops": (
                    "squared stops", "<linearGradient id='g'>\(stops)</linearGradient>\(filled)"
                ),
                "inherited stops": (
                    "squared stops",
                    "<linearGradient id='h'>\(stops)</linearGradient><linearGradient id='g' href='#h'/>\(filled)"
                ),
                "stops in an inherited fill": (
                    "squared stops",
                    "<linearGradient id='g'>\(stops)</linearGradient>"
                        + "<g fill='url(#g)'>\(String(repeating: "<path/>", count: 2000))</g>"
                ),
                "lines upon lines": ("in pairs", "<path d='M0 0\(lines.joined())'/>"),
                "round corners": (
                    "round corners",
                    "<path style='stroke-linejoin: round' stroke='red' stroke-width='99' d='M0 0\(strokes)'/>"
                ),
                "attributes": (
                    "more than 1000 attributes", "<rect \(names.map { "\($0)='1'" }.joined(separator: " "))/>"
                ),
                "rules": ("too many rules", "<style>\(String(repeating: "a{}", count: 600_000))</style>"),
                "a long list of fonts": (
                    "too many font families", "<text font-family='\(names.joined(separator: ","))'>a</text>"
                ),
                "many lists of fonts": (
                    "too many lists",
                    names.prefix(3000).map { "<text style='FONT-FAMILY:\($0)'>a</text>" }.joined()
                ),
            ]
        }()

        @Test(arguments: slow.keys.sorted())
        func `a slow SVG is rejected by what it has too much of`(_ kind: String) throws {
            let (limit, content) = try #require(Self.slow[kind])
            let side = kind == "round corners" ? 1000 : 100
            let text =
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' width='\(side)'>\(content)</svg>"
            let error = #expect(throws: CodecError.self) { try decode(text) }
            #expect("\(try #require(error))".contains(limit))
        }

        /// Rejected for the memory or the time that librsvg would take: 4 GB and more for a tile, 1 GB for dashes.
        @Test(arguments: [
            (
                "<rect width='99' height='99' fill='url(#p)'/>",
                "patternUnits='userSpaceOnUse' width='32000' height='32000'"
            ),
            ("<rect width='32000' height='32000' fill='url(#p)'/>", "width='1' height='1'"),
            (
                "<rect width='99' height='99' style='fill:url(#p)'/>",
                "patternUnits='userSpaceOnUse' patternTransform='scale(200)' width='160' height='160'"
            ),
            (
                "<g transform='matrix(20 0 0 20 0 0)'><g transform='scale(10)'><rect width='9' height='9' fill='url(#p)'/></g></g>",
                "patternUnits='userSpaceOnUse' width='160' height='160'"
            ),
            (
                "<svg viewBox='0 0 1 1' width='100'><path d='m0 0h1v1z' fill='url(#p)'/></svg>",
                "patternUnits='userSpaceOnUse' width='320' height='320'"
            ),
            (
                "<svg width='32000' height='32000'><rect width='100%' height='100%' fill='url(#p)'/></svg>",
                "patternUnits='userSpaceOnUse' width='100%' height='100%'"
            ),
            (
                "<style>rect { stroke: url(#p) }</style><g transform='scale(99)'><rect width='900' height='900'/></g>",
                "width='50%' height='.5'"
            ),
        ])
        func `an SVG's patterns of large tiles are rejected`(_ content: String, _ attributes: String) {
            let pattern = "<pattern id='p' \(attributes)><rect width='9' height='9'/></pattern>"
            let error = #expect(throws: CodecError.self) { try decode(svg(pattern + content)) }
            #expect(error?.description.contains("tiles that are too large, in pixels: ") == true)
        }

        @Test func `an SVG's patterns of usual tiles are drawn`() throws {
            let pattern = "<pattern id='p' width='.1' height='10%'><rect width='100' height='100'/></pattern>"
            let content =
                pattern + "<g transform='scale(10)'><rect width='10' height='10' fill='url(#p)'/></g>"
            #expect(pixel(try decode(svg(content)), 50, 50) == [0, 0, 0, 255])
        }

        @Test(arguments: [
            "<path d='M0 0H10000000' stroke='red' stroke-dasharray='1 1'/>",
            "<circle r='1000000' stroke='red' style='stroke-dasharray: .1'/>",
            "<style>g { stroke-dasharray: .001 .001 }</style><g stroke='red'><path d='M0 0l9 9,200 200'/></g>",
            "<g stroke-dasharray='.00001'><rect width='90' height='90' stroke='red'/></g>",
            "<path d='M0 0a9 9 0 00.5.5 9000000 1' stroke='red' stroke-dasharray='1'/>",
            "<polyline points='0,0 9000000 1' stroke='red' stroke-dasharray='1'/>",
        ])
        func `an SVG's dashes without number are rejected`(_ content: String) throws {
            let error = #expect(throws: CodecError.self) { try decode(svg(content)) }
            #expect(error?.description.contains("too many dashes: ") == true)
            #expect(error?.description.contains(", the limit is 100000") == true)
            let usual = "<path d='M0 50H100' stroke='red' stroke-width='9' stroke-dasharray='5 0'/>"
            #expect(pixel(try decode(svg(usual)), 50, 50) == [255, 0, 0, 255])
        }

        @Test(arguments: ["opacity='.9'", "style='opacity: .5'", "filter='url(#f)'", "mask='url(#f)'"])
        func `an SVG's layers nested in each other are rejected`(_ attribute: String) throws {
            let filter = attribute.contains("mask") ? "<mask id='f'/>" : "<filter id='f'><feFlood/></filter>"
            func nested(_ count: Int) -> String {
                let groups = String(repeating: "<g \(attribute)>", count: count)
                return filter + groups + "<rect width='9' height='9'/>"
                    + String(repeating: "</g>", count: count)
            }
            #expect(throws: CodecError.self) { try decode(svg(nested(80), side: 2000)) }
            #expect(try decode(svg(nested(3))).width == 100)
        }

        @Test(arguments: [
            String(repeating: "<rect width='5000' height='5000' fill-opacity='.5'/>", count: 2000),
            "<pattern id='p' width='1' height='1'/><g stroke='url(#p)'><text>"
                + String(repeating: "Wg", count: 2000) + "</text></g>",
            "<filter id='f'><feDiffuseLighting><feDistantLight/></feDiffuseLighting></filter>"
                + "<rect width='5000' height='5000' filter='url(#f)'/>",
        ])
        func `an SVG that takes minutes is rejected`(_ content: String) {
            #expect(throws: CodecError.self) { try decode(svg(content, side: 5000)) }
        }

        @Test(arguments: [
            "<text font-size='1e9'>a</text>", "<text style='font: 4294967297px serif'>a</text>",
            "<style>text { font-size: 30000in }</style><text>a</text>",
            "<style>g { font-size: 200% }</style>" + String(repeating: "<g>", count: 30) + "<text>a</text>"
                + String(repeating: "</g>", count: 30),
        ])
        func `an SVG's letters of excessive size are rejected`(_ content: String) throws {
            let error = #expect(throws: CodecError.self) { try decode(svg(content)) }
            #expect(error?.description.contains("letters are too large, in pixels: ") == true)
            #expect(error?.description.contains(", the limit is 1000000") == true)
            let usual = "<text y='50' font-size='1.2em' style='font: 700 12px serif; fill: #1e9000'>a</text>"
            #expect(try decode(svg(usual)).alpha == .premultiplied)
        }

        /// Each makes an expensive drawing look cheap to a reader of SVG that is less exact than librsvg.
        @Test(arguments: [
            "an outline of another language", "a name of another language", "names that look the same",
            "a comment", "a mark behind a semicolon", "capitals in url()", "a space in a name",
            "a semicolon in a name",
            "parts that are closed",
        ])
        func `an SVG can't hide work`(_ kind: String) {
            let lines = String(repeating: "9 99 90 0 ", count: 40_000)
            // Once it is no work.
            let octaves = "<feTurbulence numOctaves='40'/>"
            func filtered(_ filter: String) -> String {
                String(repeating: "<rect filter='\(filter)'/>", count: 1000)
            }
            let content =
                switch kind {
                case "an outline of another language": "<path xmlns:z='x' d='M\(lines)' z:d='M0 0'/>"
                case "a name of another language":
                    "<g xmlns:z='x' z:id='a'/><filter id='a'>\(octaves)</filter>" + filtered("url(#a)")
                case "names that look the same":
                    "<g id='r\u{e9}'/><filter id='re\u{301}'>\(octaves)</filter>"
                        + filtered("url(#re\u{301})")
                case "a comment":
                    "<path d='M0 0H1000' style='stroke:red;stroke-dasharray:.0001/*:900*/'/>"
                case "a mark behind a semicolon":
                    "<path d='M0 0H1000' style='stroke:red;stroke-dasharray:.0001;\u{301}x:900'/>"
                case "capitals in url()": "<filter id='f'>\(octaves)</filter>" + filtered("Url(#f)")
                case "a space in a name":
                    "<filter id='f g'>\(octaves)</filter>" + filtered("url(\"#f g\")")
                case "a semicolon in a name":
                    "<filter id='f;g'>\(octaves)</filter>" + filtered("url(#f;g)")
                default: "<path d='\(String(repeating: "m1 0l70 99h1z", count: 60_000))'/>"
                }
            #expect(throws: CodecError.self) { try decode(svg(content)) }
        }

        @Test func `dots of an outline and words like background take no work in an SVG`() throws {
            var random = SeededGenerator(seed: 1)
            let dots = (0..<60_000).map { _ in
                "M\(Int.random(in: 0..<100, using: &random)) \(Int.random(in: 0..<100, using: &random))h.1"
            }
            let style = "enable-background:new 0 0 9 9;stroke-width:50"
            let corners = "M0 0" + String(repeating: "l1 .0002l-1 .0002", count: 125_000)
            _ = try decode(svg("<path d='\(dots.joined())'/><path style='\(style)' d='\(corners)'/>"))
        }

        @Test func `a circle of references in an SVG is drawn without them`() throws {
            let text = svg(
                "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g><rect width='9' height='9'/>")
            #expect(pixel(try decode(text), 5, 5) == [0, 0, 0, 255])
        }

        /// As in Chromium, where the result of a filter with a matrix of another size than its order is transparent.
        @Test(arguments: [
            "order='100' kernelMatrix='\(String(repeating: "1 ", count: 10_000))'",
            "order='3' kernelMatrix='1 1'", "order='1e9'",
        ])
        func `an SVG's shape is left out if a matrix is too large, or not of its order`(attributes: String)
            throws
        {
            let filter = "<filter id='f'><feConvolveMatrix \(attributes)/></filter>"
            let shape = "<rect width='50' height='50' filter='url(#f)'/>"
            let bitmap = try decode(svg(filter + shape + "<rect x='60' width='9' height='9' fill='red'/>"))
            #expect(pixel(bitmap, 25, 25) == [0, 0, 0, 0])
            #expect(pixel(bitmap, 64, 4) == [255, 0, 0, 255])
        }

        @Test func `an SVG's shape with a matrix of its order is drawn`() throws {
            let matrix = "<feConvolveMatrix order='3' kernelMatrix='0 0 0 0 1 0 0 0 0'/>"
            let shape = "<rect width='50' height='50' filter='url(#f)'/>"
            #expect(pixel(try decode(svg("<filter id='f'>\(matrix)</filter>" + shape)), 25, 25)[3] == 255)
        }

        @Test(arguments: [
            "<!ENTITY a 'x'><!ENTITY b '&a;&a;'>", "<!ENTITY b '<rect/>'>",
            "<!ENTITY % p 'x'><!ENTITY b '%p;'>",
        ])
        func `an SVG's entities that contain entities or markup are rejected`(_ entities: String) {
            #expect(throws: CodecError.self) {
                try decode("<!DOCTYPE svg [\(entities)]>" + svg("<desc>&b;</desc>"))
            }
        }

        @Test func `an SVG's entity that makes too much text is rejected`() {
            let long = String(repeating: "x", count: 100_000)
            let text =
                "<!DOCTYPE svg [<!ENTITY a '\(long)'>]>"
                + svg("<desc>\(String(repeating: "&a;", count: 1000))</desc>")
            #expect(throws: CodecError.self) { try decode(text) }
        }

        @Test func `an SVG's entity that makes too much text for nothing is rejected`() {
            let long = String(repeating: "x", count: 1 << 20)
            let links = String(repeating: "<a href='&a;'/>", count: 40)
            let text = Array("<!DOCTYPE svg [<!ENTITY a '\(long)'>]>\(svg(links))".utf8)
            #expect(throws: CodecError.limitExceeded(.encodedBytes, value: 33 << 20, limit: 32 << 20)) {
                try codec.info(of: text.span.bytes, limits: DecodeLimits())
            }
        }

        @Test func `an SVG reads nothing outside of it`() async throws {
            let server = try LoopbackServer()
            let picture = try Fixture.data("made/alpha.png")
            server.serve("/a.png", picture)
            let folder = try TemporaryDirectory()
            try Data(picture).write(to: folder.file("a.png"))
            let secret = folder.file("secret.txt")
            try Data("<rect width='100' height='100'/>".utf8).write(to: secret)
            let addresses = [
                server.address("/a.png"), folder.file("a.png").absoluteString, folder.file("a.png").path,
            ]
            let images = addresses.map {
                "<image href='\($0)' width='100' height='100'/><use href='\($0)#a'/>"
                    + "<style>@import url('\($0)');</style><rect width='1' fill='url(\($0)#a)'/>"
                    + "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(secret.path)'/>"
            }
            let doctype = "<!DOCTYPE svg [<!ENTITY x SYSTEM '\(secret.absoluteString)'>]>"
            let style = "<?xml-stylesheet href='\(server.address("/a.png"))'?>"
            let bitmap = try decode(style + doctype + svg(images.joined() + "&x;"))
            #expect(pixel(bitmap, 50, 50) == [0, 0, 0, 0])
            #expect(server.requestCount() == 0)
        }

        @Test func `pictures embedded in an SVG count against the limits, in any disguise`() throws {
            let gif = Data(try Fixture.data("gif/fire.gif")).base64EncodedString()
            let image = "<image width='100' height='100' href='&#100;ata:;base64,\(gif)'/>"
            #expect(pixel(try decode(svg(image)), 50, 90)[3] == 255)
            let one = DecodeLimits { $0.pixelsPerFrame = 60 * 60 }
            #expect(throws: CodecError.self) {
                let text = Array(svg(String(repeating: image, count: 100), side: 10).utf8)
                _ = try codec.decode(text.span.bytes, options: DecodeOptions { $0.limits = one })
            }
        }

        @Test(arguments: Fixture.list("svg").filter { !$0.contains("bomb") })
        func `damaged SVGs are an error or a picture`(_ path: String) async throws {
            let bytes = try Fixture.data(path)
            let options = DecodeOptions { $0.limits.pixelsPerFrame = 1 << 20 }
            let result = await Damage.tried(on: bytes) { bytes in
                _ = try codec.decode(bytes.span.bytes, options: options)
            }
            #expect(result.acceptedCuts == 0)
            let others = result.errors.filter { !($0 is CodecError) }
            #expect(others.isEmpty, "\(others)")
        }

        /// Each number in a document, one after the other, becomes an extreme one.
        @Test(arguments: ["everything", "filter", "gradient", "use"])
        func `numbers of any size in an SVG are an error or a picture`(_ name: String) async throws {
            let text = String(decoding: try Fixture.data("svg/\(name).svg"), as: UTF8.self)
            let options = DecodeOptions { $0.limits.pixelsPerFrame = 1 << 18 }
            let numbers = ["0", "-1", "1e9", "-1e9", "1e38", "1e-38", "1e400", "65536", "4294967297", ""]
            for (index, match) in text.matches(of: /[0-9.]+/).enumerated() {
                // Two for each: all of them for all numbers take a minute.
                for number in [numbers[index % 10], numbers[(index + 3) % 10]] {
                    let changed = Array(text.replacingCharacters(in: match.range, with: number).utf8)
                    do throws(CodecError) {
                        let bitmap = try codec.decode(changed.span.bytes, options: options)
                        #expect(bitmap.width * bitmap.height <= 1 << 18, "\(number) for \(match.output)")
                    } catch {
                        #expect(!error.description.isEmpty)
                    }
                    await Task.yield()
                }
            }
        }

        @Test func `a compressed SVG that unpacks to too much is rejected`() throws {
            // A stored block of zeros would do too; this one packs 40 MB of blanks a thousandfold.
            let bomb = try Fixture.data("svg/bomb.svgz")
            #expect(bomb.count < 100_000)
            #expect(throws: CodecError.self) { try codec.info(of: bomb.span.bytes, limits: DecodeLimits()) }
        }
    }
#endif
