#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import AlcedoTestSupport
    import Testing

    /// Red, green, blue and alpha of one pixel, colours multiplied by alpha.
    func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            let start = y * bitmap.bytesPerRow + x * 4
            return [bytes[start + 2], bytes[start + 1], bytes[start], bytes[start + 3]]
        }
    }

    struct SVGTests {
        let codec = SVGCodec()

        private func info(_ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: limits)
        }

        private func decode(_ bytes: [UInt8], at size: PixelSize? = nil) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.atLeast = size })
        }

        private func svg(_ attributes: String, _ content: String = "") -> [UInt8] {
            Array("<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(content)</svg>".utf8)
        }

        @Test(arguments: [
            ("shapes.svg", 64, 48), ("prolog.svg", 48, 36), ("utf16.svg", 40, 30), ("packed.svgz", 64, 48),
            ("gradient.svg", 80, 60), ("filter.svg", 60, 60), ("style.svg", 48, 48), ("use.svg", 64, 32),
            ("image.svg", 40, 30), ("empty.svg", 300, 150), ("ratio.svg", 100, 50), ("units.svg", 96, 48),
            ("everything.svg", 60, 60), ("badge.svg", 100, 20),
        ])
        func `an SVG is recognised, and has the size that browsers give it`(
            _ name: String, _ width: Int, _ height: Int
        ) throws {
            let bytes = try Fixture.data("svg/\(name)")
            #expect(codec.format(of: bytes.span.bytes) == .svg)
            let size = PixelSize(width: width, height: height)
            let expected = ImageInfo(format: .svg, size: size, hasAlpha: true, isScalable: true)
            #expect(try info(bytes) == expected)
            #expect(try decode(bytes).size == size)
        }

        @Test(arguments: [
            ("width='7pc' height='12q' viewBox='0 0 1 1'", 112, 11), ("width='2e2'", 200, 150),
            ("width='50%' height='40' viewBox='0 0 30 20'", 60, 40), ("height='1.5em'", 300, 24),
            ("width='-4' height='x'", 300, 150), ("viewBox='0,0,12.4,0.2'", 12, 1),
            ("viewBox='0 0 0 20'", 300, 150), ("style='width:50px;height:20px'", 50, 20),
            ("width='10' height='10' style='HEIGHT : 2cm !important; color: red'", 10, 76),
            ("width='10' height='10' style='width:auto;height:5' viewBox='0 0 40 20'", 10, 5),
            ("width='10' height='10' style='width:50%;height:x' viewBox='0 0 40 20'", 20, 10),
            ("width='2em' height='3ex' font-size='20'", 40, 30),
            ("width='2em' height='1rem' style='font-size:10px' font-size='20'", 20, 10),
        ])
        func `lengths of an SVG become pixels`(_ attributes: String, _ width: Int, _ height: Int) throws {
            #expect(try info(svg(attributes)).size == PixelSize(width: width, height: height))
        }

        @Test(arguments: [
            ("svg{width:50px;height:30px}", 50, 30), (":root { width: 50px } ", 50, 10),
            ("g{fill:red} /* svg{width:1px} */ a , SVG {width:1in}", 96, 10),
            ("@media print{svg{width:50px}} svg{height:7px}", 10, 7),
            ("@media print{g{fill:red} svg{width:90px;height:90px}}", 10, 10),
            ("@media print{svg{width:50px}g{fill:red}} g{fill:'}'} svg{height:7px", 10, 7),
            ("g{fill:'{'} x svg, svg , g{width:9px}", 9, 10), ("svg{width:9px;g{fill:red}}}", 10, 10),
            ("@import 'x'; svg{width:9px} svg{width:8px;height:x}", 8, 10), ("svg g{width:9px}", 10, 10),
            ("svg{width:9px !important} svg{width:8px}", 9, 10),
            ("svg{width:9px!Important;width:7px}", 9, 10),
            ("svg{width:50vw;height:9px}", 300, 9), ("*{width:9px} :root{width:8px} svg{width:7px}", 8, 10),
        ])
        func `an SVG's style sheet gives the size before attributes do`(
            _ sheet: String, _ width: Int, _ height: Int
        )
            throws
        {
            let bytes = svg("width='10' height='10'", "<style>\(sheet)</style>")
            #expect(try info(bytes).size == PixelSize(width: width, height: height))
            #expect(try decode(bytes).size == PixelSize(width: width, height: height))
        }

        @Test(arguments: [
            (".Big{width:50px}#Logo{height:30px}", 50, 30), (".big{width:50px}#logo{height:30px}", 10, 10),
            (".two.Big{width:9px} .Big{width:8px} svg{width:7px}", 9, 10),
            ("#Logo{width:9px} svg.Big.two:root{width:8px}", 9, 10), ("SVG#Logo.two{width:9px}", 9, 10),
            ("#Logo{width:9px} .Big{width:8px!important} svg{width:7px}", 8, 10),
            ("g.Big{width:9px} .Big g{width:9px} .Big>svg{width:9px} .{width:9px} #{width:9px}", 10, 10),
            (".Big:hover{width:9px} svg.three{width:9px} #Logo2{width:9px} #Logosvg{width:9px}", 10, 10),
            ("g , .Big , x{width:9px} .Big/**/{height:8px}", 9, 8),
            ("*.Big{width:9px} .Bigsvg{width:8px}", 9, 10),
            (".Big:not(.two){width:9px} .Big[id]{width:9px} svg|svg{width:9px} svgsvg{width:9px}", 10, 10),
        ])
        func `a style sheet gives an SVG's size by its class and its name`(
            _ sheet: String, _ width: Int, _ height: Int
        )
            throws
        {
            let bytes = svg(
                "width='10' height='10' class=' Big two' id='Logo'", "<style>\(sheet)</style>")
            #expect(try info(bytes).size == PixelSize(width: width, height: height))
        }

        @Test func `an SVG's own style comes before its sheets, unless they are important`() throws {
            let own = svg(
                "style='width:20px;height:20px' id='a'",
                "<style>#a{width:9px;height:9px!important}</style>")
            #expect(try info(own).size == PixelSize(width: 20, height: 9))
        }

        @Test(
            arguments: [
                ("shapes.svg", 10, 10, [0xD0, 0x20, 0x30, 255]), ("shapes.svg", 62, 2, [0, 0, 0, 0]),
                ("packed.svgz", 10, 10, [0xD0, 0x20, 0x30, 255]),
                ("prolog.svg", 4, 4, [0xD0, 0x20, 0x30, 255]),
                ("utf16.svg", 20, 15, [0, 128, 128, 255]), ("style.svg", 5, 5, [0x22, 0x44, 0x66, 255]),
                ("style.svg", 30, 24, [0xFF, 0xBB, 0, 255]), ("use.svg", 8, 8, [0, 0x88, 0x33, 255]),
                ("image.svg", 2, 2, [0, 0, 128, 255]), ("image.svg", 37, 27, [224, 200, 128, 255]),
                ("ratio.svg", 20, 20, [0, 0, 128, 255]), ("units.svg", 90, 40, [128, 0, 128, 255]),
                ("filter.svg", 30, 30, [0, 0, 0, 0]), ("gradient.svg", 1, 1, [250, 136, 5, 255]),
                ("badge.svg", 12, 10, [245, 245, 245, 255]), ("badge.svg", 2, 2, [0x55, 0x55, 0x55, 255]),
            ] as [(String, Int, Int, [UInt8])])
        func `an SVG is drawn`(_ name: String, _ x: Int, _ y: Int, _ expected: [UInt8]) throws {
            let bitmap = try decode(Fixture.data("svg/\(name)"))
            let found = pixel(bitmap, x, y)
            #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(found)")
        }

        @Test func `an SVG is sharp at every size, and stretched to another shape`() throws {
            let bytes = svg("width='4' height='2'", "<rect width='2' height='2' fill='red'/>")
            for size in [PixelSize(width: 400, height: 200), PixelSize(width: 100, height: 300)] {
                let bitmap = try decode(bytes, at: size)
                #expect(bitmap.size == size)
                let edge = size.width / 2
                #expect(pixel(bitmap, edge - 1, size.height - 1) == [255, 0, 0, 255])
                #expect(pixel(bitmap, edge, 0) == [0, 0, 0, 0])
            }
        }

        @Test func `an SVG's alpha is multiplied, kept straight, or none`() throws {
            let half = svg(
                "width='2' height='2'", "<rect width='2' height='2' fill='#f80' fill-opacity='.5'/>")
            #expect(try decode(half).alpha == .premultiplied)
            let straight = try codec.decode(
                half.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
            #expect(straight.alpha == .straight)
            #expect(pixel(straight, 0, 0)[0] == 255)
            let full = svg("width='2' height='2'", "<rect width='2' height='2'/>")
            #expect(try decode(full).alpha == .opaque)
        }

        @Test(arguments: [
            "", "<", "<html><svg/></html>", "<?xml version='1.0'?><svgx/>", "svg", "<!-- <svg> -->",
            "<!DOCTYPE svg",
            "\u{1F}\u{8B}",
        ])
        func `the SVG codec does not claim other bytes`(_ text: String) {
            #expect(codec.format(of: Array(text.unicodeScalars.map { UInt8($0.value) }).span.bytes) == nil)
        }

        @Test func `an SVG may take no longer to draw than the limit`() throws {
            let bytes = try Fixture.data("svg/shapes.svg")
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
                try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.limits.seconds = 0 })
            }
        }

        @Test func `an SVG keeps to the limits`() throws {
            let bytes = try Fixture.data("svg/shapes.svg")
            #expect(throws: CodecError.limitExceeded(.pixels, value: 3072, limit: 3071)) {
                try codec.decode(
                    bytes.span.bytes, options: DecodeOptions { $0.limits.pixelsPerFrame = 3071 })
            }
            #expect(throws: CodecError.self) { try decode(bytes, at: PixelSize(width: 9000, height: 9000)) }
            #expect(throws: CodecError.limitExceeded(.encodedBytes, value: bytes.count, limit: 99)) {
                try info(bytes, DecodeLimits { $0.encodedBytes = 99 })
            }
            #expect(throws: CodecError.self) { try info(svg("width='1e9' height='1e9'")) }
            // A smaller picture of it may be drawn.
            #expect(try info(svg("width='100000' height='100000'")).size.width == 100_000)
            let small = try decode(
                svg("width='100000' height='100000'"), at: PixelSize(width: 10, height: 10))
            #expect(small.size == PixelSize(width: 10, height: 10))
        }
    }
#endif
