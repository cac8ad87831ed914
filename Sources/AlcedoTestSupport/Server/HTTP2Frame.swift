/// A frame of HTTP/2 (RFC 9113) that a server sends.
package enum HTTP2Frame {
    case settings

    /// Status 200, with a length if it is given; ends the stream if there is no body.
    case head(stream: UInt32, length: Int?)
    case data(stream: UInt32, [UInt8], isLast: Bool)
    case reset(stream: UInt32, Code)

    /// Requests on streams after `last` were not and will not be processed.
    case goAway(last: UInt32, Code)

    /// The error code of a stream or a connection.
    package enum Code: UInt32, Sendable {
        case noError = 0
        case internalError = 2
        case refusedStream = 7
    }

    fileprivate static let headerLength = 9
    fileprivate static let headers: UInt8 = 1
    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4

    var bytes: [UInt8] {
        switch self {
        case .settings: Self.frame(4, 0, 0, [])
        case .head(let stream, let length):
            Self.frame(Self.headers, Self.endHeaders, stream, Self.fields(length))
        case .data(let stream, let bytes, let isLast):
            Self.frame(0, isLast ? Self.endStream : 0, stream, bytes)
        case .reset(let stream, let code): Self.frame(3, 0, stream, Self.number(code.rawValue))
        case .goAway(let last, let code):
            Self.frame(7, 0, 0, Self.number(last) + Self.number(code.rawValue))
        }
    }

    private static func frame(
        _ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]
    ) -> [UInt8] {
        Array(number(UInt32(payload.count)).dropFirst()) + [kind, flags] + number(stream) + payload
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// `:status: 200` is entry 8 of HPACK's static table; the name `content-length` is entry 28, in two bytes.
    private static func fields(_ length: Int?) -> [UInt8] {
        guard let length else { return [0x88] }
        let text = Array("\(length)".utf8)
        let start: [UInt8] = [0x88, 0x0F, 28 - 15, UInt8(text.count)]
        return start + text
    }
}

extension TLSConnection {
    /// Reads the client's connection preface and sends the settings; false without a preface.
    package func startHTTP2() -> Bool {
        guard read(24)?.starts(with: "PRI * HTTP/2.0".utf8) == true else { return false }
        send(.settings)
        return true
    }

    /// Reads up to the next request and returns its stream; nil at the end.
    package func nextStream() -> UInt32? {
        while let header = read(HTTP2Frame.headerLength) {
            let length = header[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard read(length) != nil else { return nil }
            if header[3] == HTTP2Frame.headers { return header[5...].reduce(0) { $0 << 8 | UInt32($1) } }
        }
        return nil
    }

    package func send(_ frames: HTTP2Frame...) { write(frames.flatMap(\.bytes)) }
    package func waitForEnd() { while read() != nil {} }
}
