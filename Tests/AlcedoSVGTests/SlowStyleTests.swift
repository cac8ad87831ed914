#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import Testing

    /// Style sheets and text whose cost shows only in what librsvg and Pango do with them.
    struct `SVGs that are slow to style and to write` {
        private func decode(_ content: String) throws -> Bitmap {
            let text =
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' width='100'>\(content)</svg>"
            return try SVGCodec().decode(
                Array(text.utf8).span.bytes, options: .init { $0.limits.seconds = 300 })
        }

        /// With the error that says so.
        static let slow: [String: (limit: String, content: String)] = [
            "a long text of characters that no font has": (
                "squared characters", "<text>\(String(repeating: "\u{1F600}", count: 3000))</text>"
            ),
            "many texts of characters that no font has": (
                "too many characters",
                String(
                    repeating: "<text>\(String(repeating: "\u{1F600}", count: 100))</text>", count: 1300)
            ),
            "selectors in selectors": (
                "in tries to match",
                "<style>:not(:not(:not(:not(x *) *) *) *) *{fill:red}</style>"
                    + String(repeating: "<g>", count: 90) + String(repeating: "</g>", count: 90)
            ),
            "selectors behind an address with a quote": (
                "in tries to match",
                "<style>g{fill:url(#a'b)} :not(:not(:not(:not(x *) *) *) *) *{fill:red}</style>"
                    + String(repeating: "<g>", count: 90) + String(repeating: "</g>", count: 90)
            ),
            "selectors behind a bracket in a comment": (
                "in tries to match",
                "<style>[a/*]'*/] :not(:not(:not(:not(x *) *) *) *) *{fill:red}</style>"
                    + String(repeating: "<g>", count: 90) + String(repeating: "</g>", count: 90)
            ),
            "selectors of siblings": (
                "in tries to match",
                "<style>x~g{fill:red}</style>" + String(repeating: "<g/>", count: 30_000)
            ),
            "selectors that count siblings": (
                "in tries to match",
                "<style>:Nth-Last-Child(2n+1){fill:red}</style>"
                    + String(repeating: "<g/>", count: 30_000)
            ),
            "selectors of siblings that count siblings": (
                "in tries to match",
                "<style>g:first-of-type ~ g{fill:red}</style>" + String(repeating: "<g/>", count: 2000)
            ),
            "selectors with long classes": (
                "in tries to match",
                "<style>\(String(repeating: ".x{fill:red}", count: 5000))</style>"
                    + "<g class='\(String(repeating: "a ", count: 500_000))'/>"
            ),
            "selectors with long attributes": (
                "in tries to match",
                "<style>\(String(repeating: "[d*='x' i]{fill:red}", count: 5000))</style>"
                    + "<path d='\(String(repeating: "z ", count: 500_000))'/>"
            ),
            "declarations": (
                "in tries to match",
                "<style>*{\(String(repeating: "fill:red;", count: 40_000))}</style>"
                    + String(repeating: "<g/>", count: 10_000)
            ),
        ]

        @Test(arguments: slow.keys.sorted())
        func `an SVG slow to style or to write is rejected by what it has too much of`(_ kind: String) throws
        {
            let (limit, content) = try #require(Self.slow[kind])
            let error = #expect(throws: CodecError.self) { try decode(content) }
            #expect("\(try #require(error))".contains(limit))
        }

        @Test func `an SVG with usual style sheets is not taken for a slow one`() throws {
            let rules = (0..<200).map {
                ".st\($0){fill:none;stroke:#000;stroke-width:\($0)} .a .st\($0) > path:nth-child(2n+1){fill:red}"
                    + "g:not(.b)~path[d]{fill:red} @media print{path{fill:url('#x')}}"
            }
            let paths = (0..<50).map { "<g class='a'><path class='st\($0)' d='M0 0h9v9z'/><path/></g>" }
            let text = "<style>\(rules.joined())</style><g>\(paths.joined())</g>"
            #expect(throws: Never.self) { try decode(text) }
        }
    }
#endif
