/// The bytes of a response's status line and header fields, read only when somebody asks.
///
/// Collects lines as they arrive; a later status line, after a 100 or a 401, starts over.
struct HeaderBlock: Sendable {
    /// The most bytes of headers that a server may send for one response, interim responses and trailers included.
    static let byteLimit = 256 << 10

    /// What a line was.
    enum Line: Equatable {
        case field
        case end
        case beyondLimit
    }

    private var bytes: [UInt8] = []
    private var fieldsStart = 0
    private var received = 0

    /// Whether a status line has been seen.
    var isEmpty: Bool { bytes.isEmpty }

    /// Whether the empty line at the end has been seen.
    private(set) var isComplete = false

    init() {}

    /// A block of `fields`, as if they had been received.
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
        guard received <= Self.byteLimit else { return .beyondLimit }
        let isStatusLine = (bytes.isEmpty || isComplete) && line.starts(with: "HTTP/".utf8)
        if isComplete {
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
        _ = firstField { bytes, name, value in
            fields.append((Self.text(bytes[name]), Self.text(bytes[value])))
            return false
        }
        return fields
    }

    /// The value of the first field called `name`, in whatever case.
    func value(of name: String) -> String? {
        let wanted = name.utf8
        return firstField { bytes, name, _ in
            name.count == wanted.count
                && zip(name, wanted).allSatisfy { bytes[$0].asciiLowercased == $1.asciiLowercased }
        }
    }

    /// The values of all fields called `name`, in whatever case.
    func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The value of the first field that is wanted; asked with all the bytes and where name and value are.
    ///
    /// Works on places in the bytes, not on slices: each response is searched a few times.
    private func firstField(
        where isWanted: (UnsafeBufferPointer<UInt8>, Range<Int>, Range<Int>) -> Bool
    ) -> String? {
        bytes.withUnsafeBufferPointer { bytes in
            var start = fieldsStart
            while start < bytes.count {
                let end = bytes.firstIndex(of: .lineFeed, in: start..<bytes.count) ?? bytes.count
                let colon = bytes.firstIndex(of: .colon, in: start..<end)
                if let colon {
                    let name = bytes.trimmingBlanks(start..<colon)
                    let value = bytes.trimmingBlanks(colon + 1..<end)
                    if isWanted(bytes, name, value) { return Self.text(bytes[value]) }
                }
                start = end + 1
            }
            return nil
        }
    }

    /// UTF-8 if it is valid, and Latin-1, which always is, if not.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
