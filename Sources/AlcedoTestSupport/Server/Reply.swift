package import AlcedoWaiting

/// A response of the server, and its behaviour while sending it.
///
/// A value to compose: `Reply(body: jpeg).header("ETag", "\"1\"").hold(.byte(900), until: gate)`. Its bytes are shared
/// by all responses: create a large one once, outside of a route's closure.
package struct Reply: Sendable {
    package enum Framing: Sendable {
        /// A correct `Content-Length`.
        case length

        /// A `Content-Length` of this text, correct or not; the connection is closed after the body.
        case claimedLength(String)

        /// Chunks of up to this many bytes.
        case chunked(Int)

        /// The end of the connection.
        case untilClose

        /// No head: the body is sent unchanged, and the connection closed.
        case raw
    }

    /// A position in a reply, in the order of sending.
    package enum Point: Sendable {
        case head
        case body

        /// Before this byte of the body, counted from 0, without the framing of chunks. The body's length means
        /// after its last byte: before the last chunk's mark, or before the connection is closed.
        case byte(Int)
    }

    package enum HangUp: Sendable {
        /// With a FIN: the client reads the end of the stream.
        case end

        /// With an RST: the client's read fails with `ECONNRESET`.
        case reset
    }

    /// The state of the connection after the reply.
    package enum Afterwards: Sendable {
        case keepAlive

        /// Closed, with `Connection: close` in the head.
        case close

        /// Closed, without `Connection: close` in the head.
        case closeUnannounced
    }

    enum Stall: Sendable {
        case gate(Gate)
        case time(Duration)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Payload
    var framing: Framing
    var afterwards = Afterwards.keepAlive
    var stalls: [(point: Point, stall: Stall)] = []
    var drip: (count: Int, stall: Stall)?
    var cut: (count: Int, how: HangUp)?
    var unrequested: (text: String, gate: Gate)?

    package init(
        status: Int = 200,
        body: Payload,
        contentType: String? = nil,
        headers: [(String, String)] = [],
        framing: Framing = .length
    ) {
        self.status = status
        self.body = body
        self.framing = framing
        let type = contentType.map { [("Content-Type", $0)] } ?? []
        self.headers = (type + headers).map { (name: $0.0, value: $0.1) }
    }

    package init(
        status: Int = 200,
        body: [UInt8] = [],
        contentType: String? = nil,
        headers: [(String, String)] = [],
        framing: Framing = .length
    ) {
        self.init(
            status: status,
            body: Payload(body),
            contentType: contentType,
            headers: headers,
            framing: framing
        )
    }
}

// MARK: - Ready-made

extension Reply {
    /// A status and no body: `.status(304)`.
    package static func status(_ code: Int, headers: [(String, String)] = []) -> Reply {
        Reply(status: code, headers: headers)
    }

    /// A redirect whose `Location` is `target`, unchanged.
    package static func redirect(to target: String, status: Int = 302) -> Reply {
        Reply(status: status, headers: [("Location", target)])
    }

    /// `bytes` and nothing else, head included; the connection is closed after them.
    package static func raw(_ bytes: [UInt8]) -> Reply { Reply(body: bytes, framing: .raw) }

    /// `text` and nothing else, head included; the connection is closed after it.
    package static func raw(_ text: String) -> Reply { raw(Array(text.utf8)) }

    /// Closes the connection without a response.
    package static func nothing(_ how: HangUp = .end) -> Reply { raw([]).cut(after: 0, how) }
}

// MARK: - Behaviours

extension Reply {
    /// Adds a header field; does not replace one of the same name.
    package func header(_ name: String, _ value: String) -> Reply {
        changed { $0.headers.append((name, value)) }
    }

    /// Pauses at `point` until the gate admits the reply.
    package func hold(_ point: Point, until gate: Gate) -> Reply {
        changed { $0.stalls.append((point, .gate(gate))) }
    }

    /// Pauses at `point` for `duration`.
    package func delay(_ point: Point = .head, by duration: Duration) -> Reply {
        changed { $0.stalls.append((point, .time(duration))) }
    }

    /// Sends the body `count` bytes at a time; each piece, the first included, needs a permit: `gate.admit()`.
    package func drip(_ count: Int, per gate: Gate) -> Reply { changed { $0.drip = (count, .gate(gate)) } }

    /// Sends the body `count` bytes at a time, with a pause of `interval` between pieces.
    package func drip(_ count: Int, every interval: Duration) -> Reply {
        changed { $0.drip = (count, .time(interval)) }
    }

    /// Closes the connection after `count` bytes of the body; the head still announces the whole body.
    package func cut(after count: Int, _ how: HangUp = .end) -> Reply { changed { $0.cut = (count, how) } }

    /// Sends unsolicited bytes after the reply, once the gate admits them.
    ///
    /// The reply counts as finished once the client's socket has them.
    package func followed(by text: String, after gate: Gate) -> Reply {
        changed { $0.unrequested = (text, gate) }
    }

    package func chunked(_ size: Int = 4096) -> Reply { changed { $0.framing = .chunked(size) } }

    /// Sends this text as `Content-Length`, correct or not, and closes the connection after the body.
    package func claimingLength(_ text: String) -> Reply { changed { $0.framing = .claimedLength(text) } }

    /// Sends no length; the end of the connection delimits the body.
    package func withoutLength() -> Reply { changed { $0.framing = .untilClose } }

    /// Sets the state of the connection after the reply.
    package func then(_ afterwards: Afterwards) -> Reply { changed { $0.afterwards = afterwards } }

    private func changed(_ change: (inout Reply) -> Void) -> Reply {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Bytes that replies share, at a fixed address for `sendmsg`.
///
/// Safe because nothing writes to the memory after `init`, and only `deinit` frees it.
package final class Payload: @unchecked Sendable {
    let base: UnsafeRawPointer
    package let count: Int

    /// Copies `bytes`, once.
    package init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        memory.copyBytes(from: bytes)
        base = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
    }

    deinit { base.deallocate() }
}
