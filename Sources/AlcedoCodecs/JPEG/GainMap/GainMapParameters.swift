import Glibc

/// How the samples of a gain map become factors of light: red, green and blue each.
package struct GainMapParameters: Equatable {
    /// The binary logarithms of the factors of the samples 0 and 1.
    package var least = SIMD3(repeating: 0.0)
    package var most = SIMD3(repeating: 1.0)
    /// What samples have been raised to.
    package var gamma = SIMD3(repeating: 1.0)
    /// Added to the picture's light, and taken from the result's.
    package var baseOffset = SIMD3(repeating: 1 / 64.0)
    package var offset = SIMD3(repeating: 1 / 64.0)
    /// The binary logarithms of the display's brightness, in multiples of white, below which the map counts for nothing, and
    /// from which on it counts in full.
    package var headroom = (least: 0.0, most: 1.0)
    /// Whether the map is for light in the space of its picture, and not in that of the brighter one.
    package var isInPictureSpace = true

    package init() {}

    package static func == (one: Self, other: Self) -> Bool {
        one.least == other.least && one.most == other.most && one.gamma == other.gamma
            && one.baseOffset == other.baseOffset && one.offset == other.offset
            && one.headroom == other.headroom && one.isInPictureSpace == other.isInPictureSpace
    }

    /// Whether all channels have the same numbers.
    var isGrey: Bool {
        [least, most, gamma, baseOffset, offset].allSatisfy { $0 == SIMD3(repeating: $0.x) }
    }

    /// Whether the numbers make sense, and the picture that has the map is the darker one.
    private var isValid: Bool {
        let numbers = [least, most, gamma, baseOffset, offset].flatMap { [$0.x, $0.y, $0.z] }
        return (numbers + [headroom.least, headroom.most]).allSatisfy { $0.isFinite && abs($0) <= 64 }
            && all(most .>= least) && all(gamma .> 1e-3) && all(baseOffset .>= 0) && all(offset .>= 0)
            && headroom.least >= 0 && headroom.most >= headroom.least
    }
}

// MARK: - Adobe's XMP

extension GainMapParameters {
    /// Nil unless an XMP document has the numbers of a map, as attributes, elements or lists of three.
    package init?(xmp: [UInt8]) {
        guard let document = XMPDocument(xmp) else { return nil }
        func texts(_ name: String, _ count: Int) -> [String] {
            document.texts(of: name, in: XMPNamespace.gainMap, count: count, length: 64).map(\.text)
        }
        func numbers(_ name: String) -> SIMD3<Double>? {
            let texts = texts(name, 3)
            let numbers = texts.compactMap(Double.init)
            guard numbers.count == texts.count else { return SIMD3(repeating: .nan) }
            return numbers.count == 3 ? SIMD3(numbers) : numbers.first.map { SIMD3(repeating: $0) }
        }
        let isBrighter = texts("BaseRenditionIsHDR", 1).contains { $0.lowercased() == "true" }
        guard let most = numbers("GainMapMax"), !isBrighter else { return nil }
        self.most = most
        least = numbers("GainMapMin") ?? .zero
        gamma = numbers("Gamma") ?? .one
        baseOffset = numbers("OffsetSDR") ?? baseOffset
        offset = numbers("OffsetHDR") ?? offset
        headroom.least = numbers("HDRCapacityMin")?.x ?? 0
        headroom.most = numbers("HDRCapacityMax")?.x ?? max(most.max(), headroom.least)
        if !isValid { return nil }
    }

    /// The properties of the map's own document.
    package var xmp: [UInt8] {
        func text(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
        func property(_ name: String, _ value: SIMD3<Double>) -> String {
            let items = (0..<3).map { "<rdf:li>\(text(value[$0]))</rdf:li>" }.joined()
            return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
        }
        return Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:hdrgm="\(XMPNamespace.gainMap)" hdrgm:Version="1.0" \
            hdrgm:BaseRenditionIsHDR="False" hdrgm:HDRCapacityMin="\(text(headroom.least))" \
            hdrgm:HDRCapacityMax="\(text(headroom.most))">\
            \(property("GainMapMin", least))\(property("GainMapMax", most))\(property("Gamma", gamma))\
            \(property("OffsetSDR", baseOffset))\(property("OffsetHDR", offset))\
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }
}

// MARK: - ISO 21496-1

extension GainMapParameters {
    /// Reads the metadata of a map, annex C.2, in big-endian fractions.
    package init?(iso bytes: [UInt8]) {
        var reader = FractionReader(bytes)
        guard reader.number(2) == 0, reader.number(2) != nil, let flags = reader.number(1) else { return nil }
        let channels = flags & 0x80 != 0 ? 3 : 1
        // The picture that the map makes is the darker one.
        guard flags & 4 == 0 else { return nil }
        isInPictureSpace = flags & 0x40 != 0
        if flags & 8 != 0 { reader.shared = reader.number(4).map(Double.init) ?? 0 }
        headroom.least = reader.fraction(isSigned: false)
        headroom.most = reader.fraction(isSigned: false)
        for channel in 0..<channels {
            least[channel] = reader.fraction()
            most[channel] = reader.fraction()
            gamma[channel] = reader.fraction(isSigned: false)
            baseOffset[channel] = reader.fraction()
            offset[channel] = reader.fraction()
        }
        if channels == 1 {
            (least, most) = (SIMD3(repeating: least.x), SIMD3(repeating: most.x))
            (gamma, baseOffset) = (SIMD3(repeating: gamma.x), SIMD3(repeating: baseOffset.x))
            offset = SIMD3(repeating: offset.x)
        }
        if !isValid { return nil }
    }

    /// The metadata as the standard writes it.
    package var iso: [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(number >> (24 - 8 * UInt32($0)) & 255) }
        }
        let scale = 1_000_000.0
        func fraction(_ value: Double) -> [UInt8] {
            bytes(UInt32(bitPattern: Int32((value * scale).rounded()))) + bytes(UInt32(scale))
        }
        let channels = (0..<3).flatMap { index in
            [least[index], most[index], gamma[index], baseOffset[index], offset[index]].flatMap(fraction)
        }
        let flags: UInt8 = isInPictureSpace ? 0xC0 : 0x80
        return [0, 0, 0, 0, flags] + fraction(headroom.least) + fraction(headroom.most) + channels
    }
}

/// Reads numbers; what is missing is not a number.
private struct FractionReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The denominator of all fractions; nil if each has its own.
    var shared: Double?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        defer { position += count }
        return bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func fraction(isSigned: Bool = true) -> Double {
        guard let upper = number(4) else { return .nan }
        let value = isSigned ? Double(Int32(truncatingIfNeeded: upper)) : Double(upper)
        return value / (shared ?? number(4).map(Double.init) ?? .nan)
    }
}
