#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoIsolation

    @Suite(.timeLimit(.minutes(10)))
    struct `SVGs in a worker` {
        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            let group = DecoderGroup.built("alcedo-decode-svg", variables: DecoderGroup.fonts)
            let options = DecodeOptions { ($0.limits.sandbox, $0.limits.seconds) = (.preferred, 600) }
            return try IsolatedCodec(SVGCodec(), in: group).decode(bytes.span.bytes, options: options)
        }

        /// GLib asks whether standard error is a socket before it prints, which the kernel would end the worker for.
        @Test func `an SVG is drawn in a worker if Pango complains about it`() throws {
            let text = """
                <svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><text y="20" font-size="-5">a</text></svg>
                """
            #expect(try decode(Array(text.utf8)).size == PixelSize(width: 40, height: 30))
        }

        @Test func `an SVG is drawn in a worker with SVGs in its pictures`() throws {
            let bitmap = try decode(Fixture.data("svg/badge.svg"))
            #expect(bitmap.withUnsafeBytes { $0[10 * bitmap.bytesPerRow + 12 * 4] } == 245)
        }

        /// The C library opens a file for them, which a worker may not.
        @Test(
            arguments: [
                ("Shift_JIS", [0x93, 0xFA]), ("GB18030", [0xC8, 0xD5]), ("EUC-JP", [0xC6, 0xFC]),
                ("Big5", [0xA4, 0xE9]),
            ] as [(String, [UInt8])])
        func `an SVG is read in a worker in other character encodings`(_ label: String, _ character: [UInt8])
            throws
        {
            let head = """
                <?xml version="1.0" encoding="\(label)"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs>\
                <rect width="9" height="9" id="
                """
            let end = "\"/></defs><use href=\"#&#x65E5;\"/></svg>"
            #expect(try decode(Array(head.utf8) + character + Array(end.utf8)).alpha == .opaque)
        }
    }
#endif
