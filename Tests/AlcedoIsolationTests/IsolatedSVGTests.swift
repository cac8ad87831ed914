#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import Testing

    @testable import AlcedoIsolation

    @Suite(.timeLimit(.minutes(10)))
    struct `SVGs in a worker` {
        /// GLib asks whether standard error is a socket before it prints, which the kernel would end the worker for.
        @Test func `are drawn if Pango complains about them`() throws {
            let group = DecoderGroup.built("alcedo-decode-svg", variables: DecoderGroup.fonts)
            let text = """
                <svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><text y="20" font-size="-5">a</text></svg>
                """
            let options = DecodeOptions { ($0.limits.isolation, $0.limits.seconds) = (.isolated, 600) }
            let bitmap = try IsolatedCodec(SVGCodec(), in: group)
                .decode(Array(text.utf8).span.bytes, options: options)
            #expect(bitmap.size == PixelSize(width: 40, height: 30))
        }
    }
#endif
