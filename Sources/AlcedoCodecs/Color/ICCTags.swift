/// The tags of an ICC profile and their byte ranges (ICC.1:2022, clause 7).
///
/// Little CMS reads a range once per reference to it. It therefore gets a rewritten profile: only the tags that are needed,
/// each checked and copied once.
struct ICCTags {
    /// The limit of Little CMS.
    private static let tagLimit = 100
    private static let headerSize = 128

    let bytes: [UInt8]
    private var ranges: [FourCC: Range<Int>] = [:]

    /// Reads the tag table; nil if `bytes` are not a profile for images.
    init?(_ bytes: [UInt8]) {
        let span = bytes.span.bytes
        guard span.has("acsp", at: 36), let size = span.u32BE(0), let count = span.u32BE(Self.headerSize),
            count <= Self.tagLimit, let kind = span.fourCC(12), Self.kinds.contains(kind)
        else { return nil }
        let end = min(size, bytes.count)
        self.bytes = bytes
        for index in 0..<count {
            let entry = Self.headerSize + 4 + index * 12
            guard let name = span.fourCC(entry), let start = span.u32BE(entry + 4),
                let length = span.u32BE(entry + 8)
            else { return nil }
            guard length >= 8, start <= end, length <= end - start, ranges[name] == nil else { continue }
            ranges[name] = start..<(start + length)
        }
    }

    /// Profile classes of devices and colour spaces; device links, abstract and named-colour profiles do not apply to images.
    private static let kinds: Set<FourCC> = ["scnr", "mntr", "prtr", "spac"]

    /// The number of channels: 1, 3 or 4; nil for an unsupported colour space.
    var channels: Int? {
        switch bytes.span.bytes.fourCC(16) {
        case "GRAY": 1
        case "RGB ": 3
        case "CMYK": 4
        default: nil
        }
    }

    /// The bytes of a tag; nil if it is absent or outside the profile.
    func range(of name: FourCC) -> Range<Int>? { ranges[name] }

    /// A profile with only these tags, which must be present.
    func profile(of names: [FourCC]) -> [UInt8] {
        var result = Array(bytes[..<Self.headerSize])
        var content: [UInt8] = []
        result.append(bigEndian: names.count)
        let start = Self.headerSize + 4 + names.count * 12
        for name in names {
            guard let range = ranges[name] else { continue }
            result += name.bytes
            result.append(bigEndian: start + content.count)
            result.append(bigEndian: range.count)
            content += bytes[range]
            while content.count % 4 != 0 { content.append(0) }
        }
        result += content
        var size: [UInt8] = []
        size.append(bigEndian: result.count)
        result.replaceSubrange(0..<4, with: size)
        return result
    }
}

/// The four-character signature of a tag, a type or a colour space.
struct FourCC: Hashable, ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(stringLiteral text: String) { bytes = Array(text.utf8) }

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension RawSpan {
    /// The signature at `offset`; nil beyond the end.
    func fourCC(_ offset: Int) -> FourCC? {
        guard offset >= 0, offset <= byteCount - 4 else { return nil }
        return FourCC(copy(offset..<(offset + 4)))
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: Int) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
