import Glibc

package struct ReceivedRequest: Sendable {
    package let method: String

    /// The path with its query: `/a?size=2`.
    package let target: String

    /// The target up to its query.
    package let path: String

    /// All bytes up to and including the empty line.
    package let head: [UInt8]

    /// The body, of `Content-Length` bytes.
    package let body: [UInt8]

    /// The number of its connection, from 1.
    package internal(set) var connection = 0

    /// The number of earlier requests on that connection.
    package internal(set) var indexOnConnection = 0

    let wantsClose: Bool

    /// Names and values in the order received, without white space around the values.
    package var headers: [(name: String, value: String)] {
        head.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
            return (
                String(decoding: line[..<colon], as: UTF8.self),
                String(decoding: value.last == 13 ? value.dropLast() : value, as: UTF8.self)
            )
        }
    }

    /// The first value of a header field; names are case-insensitive.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension ReceivedRequest {
    enum Parsed {
        case incomplete
        case malformed
        case request(ReceivedRequest)
    }

    /// Removes the first request from `input`, if it is complete.
    static func take(from input: inout [UInt8]) -> Parsed {
        guard !input.isEmpty else { return .incomplete }
        guard let headLength = input.withUnsafeBytes(headLength) else {
            return input.count > 1 << 20 ? .malformed : .incomplete
        }
        let bodyLength =
            input.withUnsafeBytes { value("content-length", in: $0[..<headLength]) }
            .flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        guard bodyLength >= 0, bodyLength <= 64 << 20 else { return .malformed }
        guard input.count >= headLength + bodyLength else { return .incomplete }

        let line = input[..<headLength].prefix { $0 != 13 }
        guard let first = line.firstIndex(of: 32), let last = line.lastIndex(of: 32), first < last else {
            return .malformed
        }
        let target = line[(first + 1)..<last]
        let closes = input.withUnsafeBytes { bytes in
            value("connection", in: bytes[..<headLength]).map { $0.first == 99 || $0.first == 67 } ?? false
        }
        let request = ReceivedRequest(
            method: String(decoding: line[..<first], as: UTF8.self),
            target: String(decoding: target, as: UTF8.self),
            path: String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self),
            head: Array(input[..<headLength]),
            body: Array(input[headLength..<(headLength + bodyLength)]),
            wantsClose: closes || line.last == UInt8(ascii: "0")
        )
        if input.count == headLength + bodyLength {
            input.removeAll(keepingCapacity: true)
        } else {
            input.removeFirst(headLength + bodyLength)
        }
        return .request(request)
    }

    private static func headLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var start = 0
        while let newline = memchr(base + start, 10, bytes.count - start) {
            let next = UnsafeRawPointer(newline) - base + 1
            if next - start == 2, bytes[start] == 13 { return next }
            start = next
        }
        return nil
    }

    /// The value of the first header field `name`, which must be in lower case.
    private static func value(
        _ name: StaticString,
        in head: Slice<UnsafeRawBufferPointer>
    ) -> UnsafeRawBufferPointer? {
        let bytes = UnsafeRawBufferPointer(rebasing: head)
        guard let base = bytes.baseAddress else { return nil }
        let length = name.utf8CodeUnitCount
        var start = 0
        while start < bytes.count, let newline = memchr(base + start, 10, bytes.count - start) {
            let next = UnsafeRawPointer(newline) - base + 1
            defer { start = next }
            guard start + length < next, bytes[start + length] == UInt8(ascii: ":"),
                strncasecmp((base + start).assumingMemoryBound(to: CChar.self), cString(name), length) == 0
            else { continue }
            var from = start + length + 1
            while from < next, bytes[from] == 32 || bytes[from] == 9 { from += 1 }
            return UnsafeRawBufferPointer(rebasing: bytes[from..<max(from, next - 2)])
        }
        return nil
    }

    private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
