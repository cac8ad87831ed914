/// The bytes of a response's status line and header fields, parsed at each access.
///
/// Collects lines as they arrive; a later status line, after a 100 or a 401, starts over.
struct HeaderBlock: Sendable {
    /// Most bytes of headers for one response, interim responses and trailers included.
    static let byteLimit = 256 << 10

    /// Most lines of headers, counted the same way.
    static let lineLimit = 1000

    enum Line: Equatable {
        case field
        case end
        case beyondLimit
    }

    private var bytes: [UInt8] = []
    private var fieldsStart = 0
    private var received = 0
    private var lines = 0

    /// Whether a status line has been seen.
    var isEmpty: Bool { bytes.isEmpty }

    /// Whether the empty line at the end has been seen.
    private(set) var isComplete = false

    init() {}

    init(fields: [(name: String, value: String)]) {
        for field in fields {
            bytes += field.name.utf8
            bytes += [.colon, .space]
            bytes += field.value.utf8
            bytes += [.carriageReturn, .lineFeed]
        }
        isComplete = true
    }

    /// Adds one line, with its line end; a folded line is joined to the one before.
    mutating func append(line: UnsafeRawBufferPointer) -> Line {
        received += line.count
        lines += 1
        guard received <= Self.byteLimit, lines <= Self.lineLimit else { return .beyondLimit }
        let isStatusLine = (bytes.isEmpty || isComplete) && line.starts(with: "HTTP/".utf8)
        if isComplete {
            // A trailer, which counts for the limits and is not kept.
            guard isStatusLine else { return .field }
            isComplete = false
            bytes.removeAll(keepingCapacity: true)
        }
        if bytes.isEmpty { bytes.reserveCapacity(512) }
        guard let first = line.first, first != .carriageReturn, first != .lineFeed else {
            isComplete = true
            return .end
        }
        if first == .space || first == .tab {
            while bytes.count > fieldsStart, let last = bytes.last, last.isLineEnd { bytes.removeLast() }
        }
        bytes += line
        if isStatusLine { fieldsStart = bytes.count }
        return .field
    }

    // MARK: - The status line

    /// The status, such as 200; 0 if there is none.
    var status: Int {
        var index = bytes.prefix(fieldsStart).firstIndex(of: .space) ?? fieldsStart
        var status = 0
        while index < fieldsStart, bytes[index] == .space { index += 1 }
        while index < fieldsStart, status < 1000, let digit = bytes[index].decimalDigit {
            status = status * 10 + digit
            index += 1
        }
        return status
    }

    /// `HTTP/1.1`, for example.
    var httpVersion: String {
        let name = bytes.prefix(fieldsStart).prefix { $0 != .space && !$0.isLineEnd }
        if name.elementsEqual("HTTP/1.1".utf8) { return "HTTP/1.1" }
        if name.elementsEqual("HTTP/2".utf8) { return "HTTP/2" }
        return Self.text(name)
    }

    // MARK: - The fields

    /// Names and values, in order; lines without a colon are left out.
    var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        visitLines { bytes, line in
            guard let (name, value) = Self.field(in: bytes, line) else { return }
            fields.append((Self.text(bytes[name]), Self.text(bytes[value])))
        }
        return fields
    }

    /// The value of the first field called `name`, case-insensitively.
    func value(of name: String) -> String? {
        var value: String?
        visitFields(named: name) { bytes, place in
            if value == nil { value = Self.text(bytes[place]) }
        }
        return value
    }

    /// The values of all fields called `name`, case-insensitively.
    func values(of name: String) -> [String] {
        var values: [String] = []
        visitFields(named: name) { bytes, place in values.append(Self.text(bytes[place])) }
        return values
    }

    /// Whether there is one field called `name`, and it is a number that `Int64` can hold.
    func hasOneNumber(called name: String) -> Bool {
        var (count, numbers) = (0, 0)
        visitFields(named: name) { bytes, place in
            count += 1
            let isNumber = bytes[place].allSatisfy { $0.decimalDigit != nil }
            if isNumber, (1...18).contains(place.count) { numbers += 1 }
        }
        return count == 1 && numbers == 1
    }

    /// Calls `visit` with all bytes and the range of each value of a field called `name`.
    private func visitFields(
        named wanted: String, _ visit: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Void
    ) {
        let initial = wanted.utf8.first?.asciiLowercased
        visitLines { bytes, line in
            // Most names differ in their first byte.
            guard bytes[line.lowerBound].asciiLowercased == initial || bytes[line.lowerBound].isBlank,
                let (name, value) = Self.field(in: bytes, line), name.count == wanted.utf8.count,
                zip(name, wanted.utf8).allSatisfy({ bytes[$0].asciiLowercased == $1.asciiLowercased })
            else { return }
            visit(bytes, value)
        }
    }

    /// The ranges of a line's name and value; nil without a colon.
    private static func field(
        in bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>
    ) -> (name: Range<Int>, value: Range<Int>)? {
        bytes.firstIndex(of: .colon, in: line).map { colon in
            (bytes.trimmingBlanks(line.lowerBound..<colon), bytes.trimmingBlanks(colon + 1..<line.upperBound))
        }
    }

    /// Calls `visit` with all bytes and the range of each line that is not empty.
    ///
    /// Uses ranges rather than slices, because each response is searched a few times.
    private func visitLines(_ visit: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var start = fieldsStart
            while start < bytes.count {
                let end = bytes.firstIndex(of: .lineFeed, in: start..<bytes.count) ?? bytes.count
                if start < end { visit(bytes, start..<end) }
                start = end + 1
            }
        }
    }

    /// UTF-8 if it is valid, and Latin-1, which always is, if not.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
