import AlcedoPixels
import Glibc

/// Character encodings of XML, all of which become UTF-8 before anything is read or counted.
enum SVGEncoding {
    /// From the encoding that a byte order mark, the zeros of UTF-16 and UTF-32, or the XML declaration says, in this order.
    ///
    /// - Throws: ``CodecError`` if it is another encoding, or the bytes are none of its texts.
    static func utf8(_ raw: [UInt8]) throws(CodecError) -> [UInt8] {
        if let text = try unicode(raw, isHead: false) { return text }
        guard let label = SVGProlog.encoding(of: raw) else { return raw }
        switch label {
        case "utf-8", "utf8", "us-ascii", "ascii": return raw
        // In text whose declaration could be read byte by byte, it is wrong: as browsers do.
        case "utf-16", "utf-16le", "utf-16be": return raw
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1":
            return raw.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
        default:
            guard let name = names[label] else { throw unsupported(label) }
            return try converted(raw, from: name, label: label)
        }
    }

    /// From UTF-16, UTF-32 or UTF-8 with a byte order mark, which is removed; nil for what has none of their marks.
    ///
    /// In a head, the last character may be cut, and others wrong, because the text is only recognised.
    ///
    /// - Throws: ``CodecError`` if the bytes are no such text.
    static func unicode(_ raw: [UInt8], isHead: Bool) throws(CodecError) -> [UInt8]? {
        func starts(_ bytes: UInt8...) -> Bool { raw.starts(with: bytes) }
        // UTF-32 first: its byte order marks start like those of UTF-16.
        if starts(0xFF, 0xFE, 0, 0) { return try utf32(raw[4...], [0, 8, 16, 24], isHead) }
        if starts(0, 0, 0xFE, 0xFF) { return try utf32(raw[4...], [24, 16, 8, 0], isHead) }
        if starts(0x3C, 0, 0, 0) { return try utf32(raw[...], [0, 8, 16, 24], isHead) }
        if starts(0, 0, 0, 0x3C) { return try utf32(raw[...], [24, 16, 8, 0], isHead) }
        if starts(0xFF, 0xFE) { return try utf16(raw[2...], [0, 8], isHead) }
        if starts(0xFE, 0xFF) { return try utf16(raw[2...], [8, 0], isHead) }
        if starts(0x3C, 0) { return try utf16(raw[...], [0, 8], isHead) }
        if starts(0, 0x3C) { return try utf16(raw[...], [8, 0], isHead) }
        if starts(0xEF, 0xBB, 0xBF) { return Array(raw[3...]) }
        return nil
    }

    private static func unsupported(_ label: String) -> CodecError {
        .unsupported(.svg, reason: "the character encoding \(label)")
    }

    // MARK: - Unicode

    /// `shifts` are those of the bytes of a unit.
    private static func utf16(
        _ raw: ArraySlice<UInt8>, _ shifts: SIMD2<UInt32>, _ isHead: Bool
    ) throws(CodecError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        func unit(_ index: Int) -> UInt32? {
            guard index + 1 < raw.endIndex else { return nil }
            return UInt32(raw[index]) << shifts[0] | UInt32(raw[index + 1]) << shifts[1]
        }
        while let first = unit(index) {
            guard first & 0xF800 == 0xD800 else {
                append(first, to: &result)
                index += 2
                continue
            }
            guard let second = unit(index + 2) else { break }
            guard first < 0xDC00, second & 0xFC00 == 0xDC00 else {
                guard isHead else { throw invalid("utf-16") }
                append(0xFFFD, to: &result)
                index += 2
                continue
            }
            append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, to: &result)
            index += 4
        }
        guard isHead || index == raw.endIndex else { throw .truncated(.svg) }
        return result
    }

    private static func utf32(
        _ raw: ArraySlice<UInt8>, _ shifts: SIMD4<UInt32>, _ isHead: Bool
    ) throws(CodecError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count / 2)
        var index = raw.startIndex
        while index + 3 < raw.endIndex {
            var scalar: UInt32 = 0
            for offset in 0..<4 { scalar |= UInt32(raw[index + offset]) << shifts[offset] }
            guard isHead || Unicode.Scalar(scalar) != nil else { throw invalid("utf-32") }
            append(Unicode.Scalar(scalar)?.value ?? 0xFFFD, to: &result)
            index += 4
        }
        guard isHead || index == raw.endIndex else { throw .truncated(.svg) }
        return result
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        func last(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case ..<0x80: text.append(UInt8(scalar))
        case ..<0x800: text += [UInt8(0xC0 | scalar >> 6), last(0)]
        case ..<0x10000: text += [UInt8(0xE0 | scalar >> 12), last(6), last(0)]
        default: text += [UInt8(0xF0 | scalar >> 18 & 7), last(12), last(6), last(0)]
        }
    }

    private static func invalid(_ label: String) -> CodecError {
        .corrupt(.svg, reason: "its text is not \(label)")
    }

    // MARK: - The C library's encodings

    /// Opens all encodings and keeps them, for a process that soon may open no file: the C library loads one from a file.
    static func load() {
        // Never closed, which would unload it.
        for name in Set(names.values) { _ = iconv_open("UTF-8", name) }
    }

    /// The C library's name of each encoding by its labels.
    ///
    /// Only encodings that write the prolog as ASCII does, so that it can be read before they are known.
    private static let names: [String: String] = {
        var names = [
            "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
            "ms_kanji": "CP932", "windows-31j": "CP932", "cp932": "CP932", "euc-jp": "EUC-JP",
            "x-euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP", "gb2312": "GB18030",
            "gb_2312-80": "GB18030", "euc-cn": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030",
            "cp936": "GB18030", "gb18030": "GB18030", "big5": "BIG5-HKSCS",
            "big5-hkscs": "BIG5-HKSCS", "cp950": "BIG5-HKSCS", "euc-kr": "UHC",
            "ks_c_5601-1987": "UHC", "windows-949": "UHC", "cp949": "UHC", "uhc": "UHC",
            "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "macintosh": "MACINTOSH", "ibm866": "CP866",
            "cp866": "CP866", "ibm437": "CP437", "cp437": "CP437", "ibm850": "CP850", "cp850": "CP850",
            "tis-620": "CP874", "windows-874": "CP874", "cp874": "CP874",
        ]
        for page in 1250...1258 {
            names["windows-\(page)"] = "CP\(page)"
            names["cp\(page)"] = "CP\(page)"
        }
        for part in 2...16 where part != 12 {
            names["iso-8859-\(part)"] = "ISO-8859-\(part)"
            names["iso8859-\(part)"] = "ISO-8859-\(part)"
        }
        return names
    }()

    private static func converted(
        _ raw: [UInt8], from name: String, label: String
    ) throws(CodecError) -> [UInt8] {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else {
            throw unsupported(label)
        }
        defer { iconv_close(converter) }
        var failure: Int32?
        // No character takes more than three times its bytes.
        let result = [UInt8](unsafeUninitializedCapacity: 3 * raw.count + 16) { output, count in
            raw.withUnsafeBytes { raw in
                // iconv does not write to its input.
                var input = UnsafeMutableRawBufferPointer(mutating: raw).baseAddress?
                    .assumingMemoryBound(to: CChar.self)
                var inputCount = raw.count
                var target = UnsafeMutableRawPointer(output.baseAddress)?
                    .assumingMemoryBound(to: CChar.self)
                var left = output.count
                if iconv(converter, &input, &inputCount, &target, &left) == -1
                    || iconv(converter, nil, nil, &target, &left) == -1
                {
                    failure = errno
                }
                count = output.count - left
            }
        }
        switch failure {
        case nil: return result
        case EINVAL: throw .truncated(.svg)
        default: throw invalid(label)
        }
    }
}
