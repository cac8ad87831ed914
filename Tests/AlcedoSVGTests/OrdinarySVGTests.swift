#if SVG
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoSVG
    import Foundation
    import Testing

    /// Drawings as programs write them, none of which may be taken for one that means harm.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `Ordinary SVGs` {
        private func decode(_ text: String, side: Int) throws -> Bitmap {
            let options = DecodeOptions { $0.atLeast = PixelSize(width: side, height: side) }
            return try SVGCodec().decode(Array(text.utf8).span.bytes, options: options)
        }

        private func svg(_ content: String) -> String {
            "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' viewBox='0 0 40 40'>\(content)</svg>"
        }

        /// As Figma exports a picture that fills a shape.
        @Test(arguments: [256, 1024, 2048])
        func `a picture in a pattern of an SVG is drawn`(_ side: Int) throws {
            var black = try PixelBuilder(size: PixelSize(width: 1000, height: 1000), alpha: .opaque)
            black.withUnsafeMutableBytes { pixels in
                for index in pixels.indices { pixels[index] = index % 4 == 3 ? 255 : 0 }
            }
            let picture = Data(try CodecRegistry().encode(black.freeze(), as: .png)).base64EncodedString()
            let text = svg(
                """
                <rect width="40" height="40" fill="url(#p)"/>
                <defs><pattern id="p" patternContentUnits="objectBoundingBox" width="1" height="1">
                <use xlink:href="#i" transform="scale(0.001)"/></pattern>
                <image id="i" width="1000" height="1000" xlink:href="data:image/png;base64,\(picture)"/></defs>
                """)
            let bitmap = try decode(text, side: side)
            #expect(pixel(bitmap, side / 2, side / 2) == [0, 0, 0, 255])
            #expect(pixel(bitmap, side - 2, side - 2) == [0, 0, 0, 255])
        }

        @Test(arguments: [64, 512, 2048])
        func `a tile of an SVG as large as the view is drawn`(_ side: Int) throws {
            let text = svg(
                """
                <pattern id="p" patternUnits="userSpaceOnUse" width="100%" height="100%">
                <rect width="100%" height="100%"/></pattern>
                <rect width="100%" height="100%" fill="url(#p)"/>
                """)
            #expect(pixel(try decode(text, side: side), side / 2, side / 2) == [0, 0, 0, 255])
        }

        /// Each has something at its middle.
        static let drawings = [
            "a gradient": """
            <linearGradient id="a" x2="100%" y2="100%"><stop stop-color="red"/><stop offset="1"/></linearGradient>
            <radialGradient id="b" cx="50%" cy="50%" r="70%"><stop stop-color="#fff"/><stop offset="1"/></radialGradient>
            <circle cx="20" cy="20" r="18" fill="url(#a)"/><rect width="100%" height="50%" fill="url(#b)"/>
            """,
            "dots": """
            <pattern id="a" patternUnits="userSpaceOnUse" width="4" height="4" patternTransform="rotate(45)">
            <rect width="4" height="4" fill="red"/><circle cx="2" cy="2" r="1"/></pattern>
            <path d="M2 2h36v36H2z" fill="url(#a)"/>
            """,
            "stripes of a style sheet": """
            <style>.a{fill:url(#a)}.b{stroke:#000;stroke-width:.5}</style>
            <pattern id="a" width="10%" height="10%"><rect width="4" height="4"/></pattern>
            <g class="b"><rect class="a" width="100%" height="100%"/><path class="a" d="M4 4l32 0 0 32z"/></g>
            """,
            "a mask": """
            <mask id="a" maskUnits="userSpaceOnUse" x="0" y="0" width="40" height="40"><rect width="40" height="40" fill="#fff"/></mask>
            <g mask="url(#a)"><path d="M0 0h40v40H0z" fill="#D9D9D9"/><circle cx="9" cy="9" r="4"/></g>
            """,
            "a clip": """
            <g clip-path="url(#a)"><rect width="40" height="40" fill="#fff"/><path d="M3 3h34v34H3z"/></g>
            <defs><clipPath id="a"><rect width="40" height="40" fill="#fff"/></clipPath></defs>
            """,
            "a shadow": """
            <filter id="a" x="-20%" y="-20%" width="140%" height="140%" color-interpolation-filters="sRGB">
            <feFlood flood-opacity="0" result="b"/><feColorMatrix in="SourceAlpha" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 127 0"/>
            <feOffset dy="1"/><feGaussianBlur stdDeviation="1"/><feBlend in2="b" result="c"/>
            <feBlend in="SourceGraphic" in2="c"/></filter>
            <g filter="url(#a)"><rect x="5" y="5" width="30" height="30" rx="4"/></g>
            """,
            "dashes": """
            <path d="M0 20h40" stroke="#000" stroke-width="8" stroke-dasharray="3 1"/>
            <circle cx="20" cy="20" r="45%" fill="none" stroke="red" stroke-dasharray=".5"/>
            """,
            "text": """
            <rect y="18" width="40" height="4"/><text x="50%" y="50%" font-size="6" text-anchor="middle">Alcedo &amp; <tspan
            font-weight="bold">others</tspan></text>
            """,
            "a sprite": """
            <symbol id="a" viewBox="0 0 24 24"><path d="M12 2l10 20H2z" fill="url(#p)"/></symbol>
            <pattern id="p" width="1" height="1"><rect width="100%" height="100%"/></pattern>
            <use href="#a" width="40" height="40"/>
            """,
            "an icon in an icon": """
            <svg x="10" y="10" width="50%" height="50%" viewBox="0 0 512 512"><path d="M0 0h512v512H0z"/></svg>
            """,
            "traced outlines": """
            <g transform="translate(0,40) scale(0.01,-0.01)"><path d="M100 100 l3800 0 0 3800 -3800 0z"/></g>
            """,
            "an arrow": """
            <marker id="a" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="6" markerHeight="6" orient="auto">
            <path d="M0 0L10 5L0 10z"/></marker>
            <path d="M4 20H36" stroke="#000" stroke-width="2" marker-end="url(#a)"/>
            """,
            "a group that is seen through": """
            <g opacity=".8"><g style="mix-blend-mode:multiply"><rect width="40" height="40" fill="#09f"/></g></g>
            """,
        ]

        /// Large, but without anything in excess.
        @Test func `an SVG of a map, a report or a palette is drawn`() throws {
            let coast = (0..<30_000).map { index in
                let angle = Double(index) / 30_000 * 2 * Double.pi
                let radius = 15 + Double(index % 5) / 50
                return " L\(20 + radius * cos(angle)) \(20 + radius * sin(angle))"
            }
            let map =
                "<path stroke='red' stroke-width='.2' stroke-linejoin='round' d='M20 20\(coast.joined())z'/>"
            let line =
                "<text y='20' font-size='2' font-family='Inter, Helvetica, sans-serif'>the quick brown fox</text>"
            let report = "<rect width='40' height='40'/>" + String(repeating: line, count: 500)
            let stops = (0..<256).map { "<stop offset='\(Double($0) / 255)' stop-color='rgb(\($0),0,0)'/>" }
            let palette =
                "<linearGradient id='g'>\(stops.joined())</linearGradient>"
                + String(repeating: "<rect width='40' height='40' fill='url(#g)'/>", count: 200)
            for drawing in [map, report, palette] {
                #expect(pixel(try decode(svg(drawing), side: 200), 100, 100)[3] > 100)
            }
        }

        @Test(arguments: drawings.keys.sorted(), [64, 512, 2048])
        func `usual SVGs are drawn`(_ name: String, _ side: Int) throws {
            let bitmap = try decode(svg(#require(Self.drawings[name])), side: side)
            #expect(pixel(bitmap, side / 2, side / 2)[3] > 100)
        }
    }
#endif
