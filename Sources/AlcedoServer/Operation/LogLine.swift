import AlcedoLocks
package import Foundation

/// How lines of the log are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// An object a line.
    case json
    /// `name=value` pairs.
    case logfmt
    /// The same, with the values that every line has without their names.
    case pretty
}

/// How much a line of the log matters.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
    case error
    case warn
    case info

    package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .error: 2
        case .warn: 1
        case .info: 0
        }
    }
}

/// One line of the log, with its members in order.
package struct LogLine: Sendable {
    private(set) var text: String
    private let format: LogFormat

    package init(_ format: LogFormat = .json) {
        self.format = format
        text = format == .json ? "{" : ""
    }

    /// The time of the line; in UTC, with milliseconds.
    package mutating func add(time: Date) {
        add("time", time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// Adds a text of at most `limit` bytes, with control characters escaped.
    package mutating func add(_ name: String, _ value: String, limit: Int = 512) {
        key(name)
        let isQuoted = format == .json || !isShort(name) && !Self.isWord(value)
        if isQuoted { text += "\"" }
        if value.utf8.count <= limit, value.utf8.allSatisfy(Self.isPlain) {
            text += value
        } else {
            append(value, limit: limit)
        }
        if isQuoted { text += "\"" }
    }

    package mutating func add(_ name: String, _ value: Int) {
        key(name)
        text += "\(value)"
    }

    package mutating func add(_ name: String, _ value: Bool) {
        key(name)
        text += "\(value)"
    }

    /// Adds a duration in milliseconds.
    package mutating func add(_ name: String, _ value: Duration) {
        key(name)
        let micros = Int((value.seconds * 1e6).rounded())
        text += "\(Double(micros) / 1000)"
    }

    /// The line with its end.
    package var line: String { text + (format == .json ? "}\n" : "\n") }

    private mutating func key(_ name: String) {
        switch format {
        case .json:
            if text != "{" { text += "," }
            text += "\"\(name)\":"
        case .logfmt, .pretty:
            if !text.isEmpty { text += " " }
            if !isShort(name) { text += "\(name)=" }
        }
    }

    /// Whether the value stands without its name, and without quotation marks.
    private func isShort(_ name: String) -> Bool {
        format == .pretty && ["time", "level", "method", "path", "status", "event", "message"].contains(name)
    }

    /// Whether logfmt needs no quotation marks.
    private static func isWord(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { isPlain($0) && $0 != 0x20 && $0 != UInt8(ascii: "=") }
    }

    /// Whether JSON needs no escape for this byte.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func append(_ value: String, limit: Int) {
        var left = limit
        for scalar in value.unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else {
                text += "…"
                break
            }
            append(scalar)
        }
    }

    private mutating func append(_ scalar: UnicodeScalar) {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case _ where Self.isControl(scalar):
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        default: text.unicodeScalars.append(scalar)
        }
    }

    /// Whether a scalar controls a terminal, ends a line, or changes the direction of text.
    private static func isControl(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
