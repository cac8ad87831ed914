import AlcedoHTTPServer
import AlcedoPixels
import Foundation

// The forms of values. Each throws what is allowed.

func whole(_ text: String, _ range: ClosedRange<Int>) throws(Setting.Rejected) -> Int {
    guard let number = Int(text), range.contains(number) else {
        throw Setting.Rejected(
            range.upperBound == .max
                ? "a whole number from \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
}

/// Seconds, up to a day unless `range` says otherwise.
func seconds(_ text: String, _ range: ClosedRange<Int> = 1...86_400) throws(Setting.Rejected) -> Int {
    do {
        return try whole(text, range)
    } catch {
        throw Setting.Rejected(error.allowed + " (seconds)")
    }
}

func decimal(_ text: String, _ range: ClosedRange<Double>) throws(Setting.Rejected) -> Double {
    guard text.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }), let number = Double(text),
        range.contains(number)
    else {
        throw Setting.Rejected(
            range.upperBound == .greatestFiniteMagnitude
                ? "a number from \(range.lowerBound)"
                : "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
}

func truth(_ text: String) throws(Setting.Rejected) -> Bool {
    switch text {
    case "1", "t", "T", "true", "TRUE", "True": true
    case "0", "f", "F", "false", "FALSE", "False": false
    default: throw Setting.Rejected("true or false")
    }
}

/// The parts between commas, without white space around them; empty ones don't count.
///
/// A list without a part is rejected: as a list of what is allowed it would allow everything.
func list(_ text: String) throws(Setting.Rejected) -> [String] {
    let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
        !$0.isEmpty
    }
    guard !parts.isEmpty else { throw Setting.Rejected("texts separated by commas") }
    return parts
}

func format(_ name: String) throws(Setting.Rejected) -> EncodedFormat {
    guard let format = EncodedFormat(urlName: name) else {
        throw Setting.Rejected("formats such as jpeg, png, webp, avif, gif")
    }
    return format
}

func listenAddress(_ text: String) throws(Setting.Rejected) -> ListenAddress {
    guard let address = ListenAddress(text) else {
        throw Setting.Rejected("HOST:PORT, :PORT, [IPv6]:PORT or unix:/PATH")
    }
    return address
}

/// An absolute path, or one from the current folder; no check whether it exists.
func path(_ text: String) -> String { URL(fileURLWithPath: text).path }

func webURL(_ text: String) throws(Setting.Rejected) -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host != nil
    else {
        throw Setting.Rejected("an http or https URL")
    }
    return url
}

func base64(_ text: String) throws(Setting.Rejected) -> Data {
    guard let data = Data(base64Encoded: text), !data.isEmpty else {
        throw Setting.Rejected("the bytes of an image in base64")
    }
    return data
}

/// A secret that is long enough.
func secret(_ text: String) throws(Setting.Rejected) -> [UInt8] {
    let secret = try hexadecimal(text)
    guard secret.count >= 16 else {
        throw Setting.Rejected("at least 32 hexadecimal digits, which are 16 bytes")
    }
    return secret
}

/// Hexadecimal digits, two a byte.
func hexadecimal(_ text: String) throws(Setting.Rejected) -> [UInt8] {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.isEmpty, digits.allSatisfy({ $0 != nil }) else {
        throw Setting.Rejected("hexadecimal digits, two a byte; try openssl rand -hex 32")
    }
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
    }
}

extension Setting {
    /// The names of headers that clients may have passed on; not those that connections, caches and ranges need.
    static func passedHeaders(_ text: String) throws(Rejected) -> [String] {
        var names: [String] = []
        for name in try list(text) where !names.contains(where: { $0.equalsIgnoringCase(name) }) {
            names.append(name)
        }
        let tokens = Set("!#$%&'*+-.^_`|~".utf8)
        for name in names {
            let lowercased = name.lowercased()
            guard name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || tokens.contains($0) }),
                !ownHeaders.contains(lowercased), !lowercased.hasPrefix("if-"),
                !lowercased.hasPrefix("proxy-")
            else {
                throw Rejected(
                    "names of headers, such as Cookie or Authorization, but none that the server sets itself")
            }
        }
        return names
    }

    private static let ownHeaders: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "range", "te",
        "traceparent", "trailer", "transfer-encoding", "upgrade",
    ]
}
