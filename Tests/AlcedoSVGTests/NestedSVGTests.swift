#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import AlcedoTestSupport
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `SVGs in pictures of SVGs` {
        private func decode(
            _ text: String, side: Int = 100, _ limits: DecodeLimits = DecodeLimits { $0.seconds = 300 }
        ) throws -> Bitmap {
            try SVGCodec().decode(
                Array(text.utf8).span.bytes,
                options: DecodeOptions {
                    $0.atLeast = PixelSize(width: side, height: side)
                    $0.limits = limits
                })
        }

        private func svg(_ content: String, _ attributes: String = "viewBox='0 0 100 100'") -> String {
            "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \(attributes)>\(content)</svg>"
        }

        private func image(_ inner: String, _ attributes: String = "width='100' height='100'") -> String {
            "<image \(attributes) href='data:image/svg+xml;base64,\(Data(inner.utf8).base64EncodedString())'/>"
        }

        private let half = "<rect width='50' height='100' fill='red'/>"

        @Test(arguments: ["base64", "percent", "plain", "entities", "xlink", "no type", "href first"])
        func `nested SVGs are drawn, however they are written`(_ form: String) throws {
            let inner = svg(half)
            let base64 = Data(inner.utf8).base64EncodedString()
            let percent = try #require(inner.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let address =
                switch form {
                case "percent": "href='data:image/svg+xml,\(percent)'"
                case "plain": "href=\"data:image/svg+xml;utf8,\(inner.replacing("<", with: "&lt;"))\""
                case "entities": "href='&#100;ata:image/svg+xml;BASE64,\(base64)'"
                case "xlink": "xlink:href='data:image/svg+xml;base64,\(base64)'"
                case "no type": "href='data:;base64,\(base64)'"
                default: "href='data:image/svg+xml;charset=utf-8;base64,\(base64)'"
                }
            let size = "width='100' height='100'"
            let text = form == "href first" ? "<image \(address) \(size)/>" : "<image \(size) \(address)/>"
            let bitmap = try decode(svg(text))
            #expect(pixel(bitmap, 20, 50) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 80, 50) == [0, 0, 0, 0])
        }

        @Test
        func `nested SVGs are drawn packed, with pictures and styles of their own only`() throws {
            let packed = Data(try Fixture.data("svg/packed.svgz")).base64EncodedString()
            let outside = "<style>rect{fill:blue}</style><g fill='blue'>"
            let inside = svg("<style>#a{fill:lime}</style><rect id='a' width='100' height='100'/>")
            let bitmap = try decode(
                svg(
                    outside + image(inside, "width='50' height='50'")
                        + "<image x='50' width='64' height='48' href='data:;base64,\(packed)'/></g>"))
            #expect(pixel(bitmap, 25, 25) == [0, 255, 0, 255])
            #expect(pixel(bitmap, 60, 10) == [0xD0, 0x20, 0x30, 255])
        }

        @Test(arguments: [
            "<g transform='scale(4)'>@</g>", "<svg width='100' height='100' viewBox='0 0 25 25'>@</svg>",
            "<defs><g id='a'>@</g></defs><use href='#a' transform='matrix(4 0 0 4 0 0)'/>",
            "<symbol id='a' viewBox='0 0 25 25'>@</symbol><use href='#a' width='100' height='100'/>",
        ])
        func `nested SVGs are sharp at every size`(_ around: String) throws {
            let small = image(svg(half), "width='25' height='25'")
            let bitmap = try decode(svg(around.replacing("@", with: small)), side: 800)
            #expect(pixel(bitmap, 398, 400) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 402, 400) == [0, 0, 0, 0])
        }

        @Test func `small nested SVGs of a large drawing take few pixels`() throws {
            let icons = (0..<400).map { index in
                "<g transform='translate(\(index % 20 * 5) \(index / 20 * 5)) scale(.05)'>\(image(svg(half)))</g>"
            }
            let limits = DecodeLimits { $0.pixelsPerFrame = 1000 * 1000 }
            let bitmap = try decode(svg(icons.joined()), side: 1000, limits)
            #expect(pixel(bitmap, 510, 525) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 540, 525) == [0, 0, 0, 0])
        }

        /// The outer element's shape is 100 × 50, the SVG's 100 × 100; each is red at the left.
        @Test(arguments: [
            ("xMidYMid", 22, 30), ("none", 2, 48), ("xMidYMid slice", 2, 48), ("xMinYMin meet", 2, 23),
        ])
        func `nested SVGs fit as the element says`(_ fit: String, _ red: Int, _ alsoRed: Int) throws {
            let attributes = "width='100' height='50' preserveAspectRatio='\(fit)'"
            let bitmap = try decode(svg(image(svg(half), attributes)))
            #expect(pixel(bitmap, red + 5, 25) == [255, 0, 0, 255])
            #expect(pixel(bitmap, alsoRed, 25) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 97, 25) == [0, 0, 0, 0])
        }

        @Test(arguments: [
            ("width='60' height='40'", "", 59, 39), ("viewBox='0 0 60 40'", "width='30'", 29, 19),
            ("", "width='30' height='20'", 29, 19), ("width='60' height='40'", "height='80%'", 99, 79),
        ])
        func `nested SVGs have their own size if the element has none`(
            _ inner: String, _ attributes: String, _ x: Int, _ y: Int
        ) throws {
            let whole = svg("<rect width='100%' height='100%' fill='red'/>", inner)
            let bitmap = try decode(svg(image(whole, attributes)), side: 100)
            #expect(pixel(bitmap, x, y) == [255, 0, 0, 255])
            if x < 99 { #expect(pixel(bitmap, x + 1, y) == [0, 0, 0, 0]) }
            #expect(pixel(bitmap, x, y + 1) == [0, 0, 0, 0])
        }

        @Test(arguments: [
            "width='auto'", "width='auto' height='auto'", "width='' height='x'", "height='auto'",
        ])
        func `nested SVGs have their own size if the element's is no length`(_ attributes: String) throws {
            let whole = svg("<rect width='100%' height='100%' fill='red'/>", "width='60' height='40'")
            let bitmap = try decode(svg(image(whole, attributes)), side: 200)
            #expect(pixel(bitmap, 119, 79) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 120, 79) == [0, 0, 0, 0])
            #expect(pixel(bitmap, 119, 80) == [0, 0, 0, 0])
        }

        @Test(arguments: ["href first", "href last", "href is damaged", "href is a PNG"])
        func `nested SVGs of href count before those of another attribute`(_ kind: String) throws {
            func address(_ name: String, _ inner: String) -> String {
                " \(name)='data:;base64,\(Data(inner.utf8).base64EncodedString())'"
            }
            let first = svg("<rect width='60' height='40' fill='red'/>", "width='60' height='40'")
            let second = svg("<rect width='90' height='90' fill='blue'/>", "width='90' height='90'")
            let other = address("xlink:href", second)
            let attributes =
                switch kind {
                case "href first": address("href", first) + other
                case "href last": other + address("href", first)
                case "href is damaged": address("href", "<svg") + other
                default:
                    try other
                        + " href='data:;base64,\(Data(Fixture.data("made/alpha.png")).base64EncodedString())'"
                }
            let bitmap = try decode(svg("<image\(attributes)/>"), side: 100)
            #expect(pixel(bitmap, 85, 85) == [0, 0, 0, 0])
            if kind.hasPrefix("href is") { return }
            #expect(pixel(bitmap, 59, 39) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 60, 39) == [0, 0, 0, 0])
        }

        @Test(arguments: ["", "x='0' y='0' width='100' height='100'"])
        func `nested SVGs fill their part of a filter, and are sharp there`(_ attributes: String) throws {
            let inner = svg(
                "<rect width='5' height='10' fill='red'/><rect x='5' width='5' height='10' fill='blue'/>",
                "width='10' height='10'")
            let picture = image(inner, attributes).replacing("<image", with: "<feImage")
            let filter = "<filter id='f' x='0' y='0' width='1' height='1'>\(picture)</filter>"
            let bitmap = try decode(
                svg(filter + "<rect width='100' height='100' filter='url(#f)'/>"), side: 400)
            #expect(pixel(bitmap, 4, 4) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 196, 396) == [255, 0, 0, 255])
            #expect(pixel(bitmap, 203, 203) == [0, 0, 255, 255])
            #expect(pixel(bitmap, 396, 396) == [0, 0, 255, 255])
        }

        /// Though nothing of them is kept.
        @Test func `damaged nested SVGs count with all that they unpack to`() throws {
            let bomb = try Fixture.data("svg/bomb.svgz")
            let cut = Data(bomb.prefix(bomb.count * 7 / 10)).base64EncodedString()
            let text =
                "<!DOCTYPE svg [<!ENTITY e 'data:;base64,\(cut)'>]>"
                + svg(String(repeating: "<image href='&e;'/>", count: 20))
            let error = #expect(throws: CodecError.self) { try decode(text) }
            guard case .limitExceeded(.encodedBytes, _, limit: 32 << 20) = error else {
                Issue.record("\(error as Any)")
                return
            }
        }

        @Test func `nested SVGs have a million elements together`() {
            let one = image(svg("<defs>\(String(repeating: "<g/>", count: 260_000))</defs>"))
            let error = #expect(throws: CodecError.self) { try decode(svg(String(repeating: one, count: 4))) }
            #expect(error?.description.contains("more than 1000000 elements") == true)
        }

        @Test func `nested SVGs read nothing outside`() throws {
            let server = try LoopbackServer()
            server.serve("/a.png", try Fixture.data("made/alpha.png"))
            let inner =
                "<!DOCTYPE svg [<!ENTITY x SYSTEM '\(server.address("/x"))'>]>"
                + svg("<image width='100' height='100' href='\(server.address("/a.png"))'/><script/>&x;")
            #expect(pixel(try decode(svg(image(inner))), 50, 50) == [0, 0, 0, 0])
            #expect(server.requestCount() == 0)
        }

        @Test func `damaged nested SVGs are left out`() throws {
            let damaged = ["<svg", "<svg xmlns='http://www.w3.org/2000/svg'><g", "<svg></g></g>"]
            let content = damaged.map { image($0) }.joined()
            #expect(pixel(try decode(svg(content + half)), 20, 20) == [255, 0, 0, 255])
        }

        /// Each is allowed once.
        @Test(arguments: [
            ("too many elements: ", 50, String(repeating: "<rect width='1' height='1'/>", count: 5000)),
            (
                "filters and layers are too many", 900,
                String(repeating: "<g opacity='.9'><rect/></g>", count: 300)
            ),
            ("too many characters: ", 100, String(repeating: "<text y='9'>lorem ipsum</text>", count: 2000)),
            (
                "in squared characters: ", 100,
                "<text y='9'>\(String(repeating: "lorem ", count: 1000))</text>"
            ),
            (
                "in squared stops: ", 100,
                "<linearGradient id='g'>\(String(repeating: "<stop/>", count: 4000))</linearGradient>"
                    + String(repeating: "<rect fill='url(#g)'/>", count: 100)
            ),
            (
                "in rules times elements: ", 100,
                "<style>\(String(repeating: "g{}", count: 1000))</style>"
                    + String(repeating: "<g/>", count: 1000)
            ),
        ])
        func `nested SVGs count against the same limits`(_ limit: String, _ side: Int, _ content: String)
            throws
        {
            let one = image(svg(content))
            _ = try decode(svg(one), side: side)
            let error = #expect(throws: CodecError.self) {
                try decode(svg(String(repeating: one, count: side == 900 ? 5 : 50)), side: side)
            }
            let text = error?.description ?? ""
            #expect(text.contains(limit) && text.contains("the limit is "), "\(text)")
        }

        @Test func `nested SVGs count against the limits of pixels and text`() throws {
            let limits = DecodeLimits { $0.pixelsPerFrame = 100 * 100 * 3 }
            let one = image(svg(half))
            _ = try decode(svg(one + one + one), side: 100, limits)
            #expect(throws: CodecError.limitExceeded(.pixels, value: 40_000, limit: 30_000)) {
                try decode(svg(one + one + one + one), side: 100, limits)
            }
            let bomb = Data(try Fixture.data("svg/bomb.svgz")).base64EncodedString()
            #expect(throws: CodecError.self) {
                try decode(svg("<image width='1' height='1' href='data:;base64,\(bomb)'/>"))
            }
        }

        @Test func `nested SVGs are checked like the ones around them`() throws {
            let layers = image(
                svg("<filter id='f'><feTurbulence numOctaves='1000000'/></filter><rect filter='url(#f)'/>"))
            #expect(throws: CodecError.self) { try decode(svg(layers), side: 1000) }
            let tile = image(svg("<filter id='f'><feTile/></filter>"))
            #expect(throws: CodecError.unsupported(.svg, reason: "the filter primitive feTile")) {
                try decode(svg(tile))
            }
        }

        @Test func `nested SVGs are nested four deep at most`() throws {
            func nested(_ levels: Int) -> String {
                (0..<levels).reduce(svg(half)) { inner, _ in svg(image(inner)) }
            }
            #expect(pixel(try decode(nested(4)), 20, 50) == [255, 0, 0, 255])
            let error = #expect(throws: CodecError.self) { try decode(nested(5)) }
            #expect(error?.description.contains("inside each other's pictures: 5, the limit is 4") == true)
        }
    }
#endif
