import Foundation

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let percent = UInt8(ascii: "%")
    static let colon = UInt8(ascii: ":")
    static let slash = UInt8(ascii: "/")

    var isLineEnd: Bool { self == .carriageReturn || self == .lineFeed }

    var isBlank: Bool { self == .space || self == .tab || isLineEnd }

    var isVisibleASCII: Bool { self > .space && self < 127 }

    /// Whether RFC 9110 has it in its `token`.
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), .slash,
            UInt8(ascii: ":")...UInt8(ascii: "@"), UInt8(ascii: "[")...UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"):
            false
        default: isVisibleASCII
        }
    }

    var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    var decimalDigit: Int? {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") ? Int(self - UInt8(ascii: "0")) : nil
    }

    var hexDigit: UInt8? {
        switch asciiLowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): asciiLowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where the first `byte` in `range` is; many bytes at a time.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let base = baseAddress,
            let place = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(place) - UnsafeRawPointer(base)
    }

    /// `range` without the blanks at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}

extension Sequence<UInt8> {
    /// The bytes with each `%41` turned into the byte that it stands for; other percent signs stay.
    var percentDecoded: [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(underestimatedCount)
        var pending: [UInt8] = []
        for byte in self {
            if pending.isEmpty, byte != .percent {
                decoded.append(byte)
                continue
            }
            pending.append(byte)
            if pending.count > 1, byte.hexDigit == nil {
                decoded += pending.dropLast()
                pending = byte == .percent ? [byte] : []
                if byte != .percent { decoded.append(byte) }
            } else if pending.count == 3, let high = pending[1].hexDigit, let low = byte.hexDigit {
                decoded.append(high << 4 | low)
                pending.removeAll(keepingCapacity: true)
            }
        }
        return decoded + pending
    }
}
