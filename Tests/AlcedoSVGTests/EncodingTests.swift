#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import Foundation
    import Testing

    struct `Character encodings of SVGs` {
        private let codec = SVGCodec()

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            #expect(codec.format(of: bytes.span.bytes) == .svg)
            return try codec.decode(bytes.span.bytes, options: DecodeOptions())
        }

        /// Draws a red square only if `name` in some encoding is `characters`.
        private func svg(_ name: [UInt8], _ characters: String, encoding: String) -> [UInt8] {
            let references = characters.unicodeScalars.map { "&#\($0.value);" }.joined()
            return Array(
                "<?xml version='1.0' encoding='\(encoding)'?><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs><rect id='"
                    .utf8) + name
                + Array("' width='9' height='9' fill='red'/></defs><use href='#\(references)'/></svg>".utf8)
        }

        @Test(
            arguments: [
                ("Shift_JIS", "日本", [0x93, 0xFA, 0x96, 0x7B]), ("windows-31j", "表", [0x95, 0x5C]),
                ("EUC-JP", "日本", [0xC6, 0xFC, 0xCB, 0xDC]),
                ("ISO-2022-JP", "日", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]),
                ("GB2312", "日本", [0xC8, 0xD5, 0xB1, 0xBE]), ("gbk", "日本", [0xC8, 0xD5, 0xB1, 0xBE]),
                ("GB18030", "日é", [0xC8, 0xD5, 0xA8, 0xA6]), ("Big5", "日本", [0xA4, 0xE9, 0xA5, 0xBB]),
                ("EUC-KR", "한", [0xC7, 0xD1]), ("KOI8-R", "Ж", [0xF6]), ("windows-1251", "Ж", [0xC6]),
                ("windows-1252", "œ€", [0x9C, 0x80]), ("ISO-8859-1", "é", [0xE9]),
                ("ISO-8859-2", "ł", [0xB3]), ("iso-8859-15", "€", [0xA4]), ("ibm866", "Ж", [0x86]),
                ("UTF-8", "é", [0xC3, 0xA9]),
            ] as [(String, String, [UInt8])])
        func `character encodings of SVGs are read as the declaration says`(
            _ label: String, _ characters: String, _ bytes: [UInt8]
        )
            throws
        {
            let text = svg(bytes, characters, encoding: label)
            #expect(pixel(try decode(text), 4, 4) == [255, 0, 0, 255])
        }

        @Test(arguments: ["UTF-16", "UTF-8", "Shift_JIS", "none of them"], [true, false])
        func `Unicode encodings of SVGs are read as their bytes say`(_ label: String, hasMark: Bool) throws {
            let text = String(decoding: svg(Array("日é😀".utf8), "日é😀", encoding: label), as: UTF8.self)
            for encoding in [
                String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
            ] {
                let bytes = [UInt8](try #require(((hasMark ? "\u{FEFF}" : "") + text).data(using: encoding)))
                #expect(pixel(try decode(bytes), 4, 4) == [255, 0, 0, 255])
            }
            if hasMark {
                #expect(pixel(try decode([0xEF, 0xBB, 0xBF] + Array(text.utf8)), 4, 4) == [255, 0, 0, 255])
            }
        }

        /// As some programs write, whose strings are UTF-16.
        @Test
        func `an SVG of single bytes that declares UTF-16 is read as UTF-8`() throws {
            #expect(pixel(try decode(svg([0xC3, 0xA9], "é", encoding: "utf-16")), 4, 4) == [255, 0, 0, 255])
        }

        @Test(arguments: ["UTF-7", "x-user-defined", "EBCDIC-CP-US", "utf-8//ignore", "../x"])
        func `unknown character encodings of SVGs are rejected by name`(_ label: String) throws {
            let error = CodecError.unsupported(
                .svg, reason: "the character encoding \(label.lowercased())")
            let bytes = svg([65], "A", encoding: label)
            #expect(throws: error) { try decode(bytes) }
            #expect(throws: error) { try codec.info(of: bytes.span.bytes, limits: DecodeLimits()) }
        }

        @Test(
            arguments: [
                ("shift_jis", [0x93]), ("euc-jp", [0xC6]), ("gb18030", [0xFF]), ("windows-1252", [0x81]),
            ] as [(String, [UInt8])])
        func `character encodings of SVGs are checked`(_ label: String, _ bytes: [UInt8]) throws {
            #expect(throws: CodecError.corrupt(.svg, reason: "its text is not \(label)")) {
                try decode(svg(bytes + Array("'".utf8), "A", encoding: label))
            }
        }

        @Test func `Unicode encodings of SVGs are checked`() throws {
            let text = String(decoding: svg([65], "A", encoding: "utf-16"), as: UTF8.self)
            var wide = [UInt8](try #require(text.data(using: .utf16LittleEndian)))
            #expect(throws: CodecError.truncated(.svg)) { try decode(wide + [0x20]) }
            // Half of a pair.
            wide[100] = 0
            wide[101] = 0xDC
            #expect(throws: CodecError.corrupt(.svg, reason: "its text is not utf-16")) { try decode(wide) }
            let long = [UInt8](try #require(text.data(using: .utf32BigEndian)))
            #expect(throws: CodecError.truncated(.svg)) { try decode(long + [0]) }
        }

        /// librsvg would read the rest in another encoding, unseen by the limits.
        @Test func `character encodings of SVGs cannot be changed by zeros`() throws {
            let text = Array("<\0\0:svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
            for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf32LittleEndian] {
                let bytes = [UInt8](
                    try #require(String(decoding: text, as: UTF8.self).data(using: encoding)))
                #expect(throws: CodecError.self) {
                    try codec.decode(bytes.span.bytes, options: DecodeOptions())
                }
            }
        }

        /// Each hides work from a reader that takes the bytes for another encoding.
        @Test(arguments: ["Shift_JIS", "UTF-16", "GB18030"])
        func `character encodings of SVGs do not hide work`(_ label: String) throws {
            let dashes = "<path d='M0 0H10000000' stroke='red' stroke-dasharray='1 1'/>"
            let head = "<?xml version='1.0' encoding='\(label)'?>"
            let text = head + "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>\(dashes)</svg>"
            var bytes = Array(text.utf8)
            if label == "UTF-16" { bytes = [UInt8](try #require(text.data(using: .utf16BigEndian))) }
            let error = #expect(throws: CodecError.self) { try decode(bytes) }
            #expect(error?.description.contains("too many dashes") == true)
        }
    }
#endif
