/// What headers say about the samples of an image, before they are decoded.
package struct StoredColors: Equatable {
    /// Bits of a channel.
    package var bits: Int
    package var isFloat = false
    /// Four inks in place of red, green and blue.
    package var isCMYK = false
    /// The code points of the colours; nil if there are none, or if a profile counts instead.
    package var codePoints: ColorSpace?

    package init(bits: Int, isFloat: Bool = false, isCMYK: Bool = false, codePoints: ColorSpace? = nil) {
        (self.bits, self.isFloat, self.isCMYK, self.codePoints) = (bits, isFloat, isCMYK, codePoints)
    }

    /// The names of the code points, such as `BT.2020, PQ`; nil without any.
    package var name: String? {
        guard case .codePoints(let primaries, let transfer) = codePoints else { return nil }
        switch (primaries, transfer) {
        case (1, 13): return "sRGB"
        case (12, 13): return "Display P3"
        default: break
        }
        let first = Self.primaries[primaries] ?? "primaries \(primaries)"
        return "\(first), \(Self.transfers[transfer] ?? "transfer \(transfer)")"
    }

    private static let primaries: [UInt8: String] = [
        1: "BT.709", 5: "BT.601 (625 lines)", 6: "BT.601 (525 lines)", 7: "SMPTE 240M", 9: "BT.2020",
        11: "DCI-P3", 12: "P3 (D65)",
    ]
    private static let transfers: [UInt8: String] = [
        1: "BT.709", 4: "gamma 2.2", 5: "gamma 2.8", 6: "BT.601", 8: "linear", 13: "sRGB", 14: "BT.2020",
        15: "BT.2020", 16: "PQ", 18: "HLG",
    ]
}

/// A codec of a format that may have more than 8 bits a channel, or colours by numbers.
package protocol ColorDescribing: ImageCodec {
    /// Read from headers, in this process also if a worker process decodes, so without a library; nil if they are
    /// damaged.
    func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors?
}
