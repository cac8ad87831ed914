/// The steps that send a reply; computed once, and shared by all connections.
struct ReplyPlan: Sendable {
    enum Step: Sendable {
        case send(Payload, Range<Int>)
        case stall(Reply.Stall)
        case hangUp(Reply.HangUp)

        /// Waits until the client's socket has all bytes; blocks the thread.
        case delivery
    }

    private(set) var steps: [Step] = []

    /// The number of steps for a `HEAD` request.
    private(set) var headSteps = 0

    init(_ reply: Reply) {
        addStalls(of: reply) { if case .head = $0 { true } else { false } }
        if let head = Self.head(of: reply) { send(head) }
        headSteps = steps.count
        addStalls(of: reply) { if case .body = $0 { true } else { false } }
        addBody(of: reply)
        if let (text, gate) = reply.unrequested {
            steps.append(.stall(.gate(gate)))
            send(text)
            steps.append(.delivery)
        }
        if let cut = reply.cut {
            steps.append(.hangUp(cut.how))
        } else if Self.closes(reply) {
            steps.append(.hangUp(.end))
        }
    }

    private mutating func addStalls(of reply: Reply, where matches: (Reply.Point) -> Bool) {
        steps += reply.stalls.filter { matches($0.point) }.map { .stall($0.stall) }
    }

    private mutating func addBody(of reply: Reply) {
        let body = reply.body
        let end = min(reply.cut?.count ?? body.count, body.count)
        let marks = Self.marks(in: reply)
        var nextMark = marks.startIndex

        func addMarks(upTo offset: Int, to steps: inout [Step]) {
            while nextMark < marks.endIndex, marks[nextMark].offset <= offset {
                steps.append(.stall(marks[nextMark].stall))
                nextMark += 1
            }
        }
        func addPieces(_ range: Range<Int>, to steps: inout [Step]) {
            var offset = range.lowerBound
            while offset < range.upperBound {
                addMarks(upTo: offset, to: &steps)
                let mark = nextMark < marks.endIndex ? marks[nextMark].offset : .max
                let next = min(range.upperBound, mark)
                steps.append(.send(body, offset..<next))
                offset = next
            }
        }

        guard case .chunked(let size) = reply.framing else {
            addPieces(0..<end, to: &steps)
            addMarks(upTo: end, to: &steps)
            return
        }
        for start in stride(from: 0, to: end, by: max(size, 1)) {
            let length = min(max(size, 1), body.count - start)
            addMarks(upTo: start, to: &steps)
            send("\(String(length, radix: 16))\r\n")
            addPieces(start..<min(start + length, end), to: &steps)
            if start + length <= end { send("\r\n") }
        }
        addMarks(upTo: end, to: &steps)
        if reply.cut == nil { send("0\r\n\r\n") }
    }

    private mutating func send(_ text: String) {
        let bytes = Payload(text.utf8)
        steps.append(.send(bytes, 0..<bytes.count))
    }

    /// The pauses within the body, in order.
    private static func marks(in reply: Reply) -> [(offset: Int, stall: Reply.Stall)] {
        var marks: [(offset: Int, stall: Reply.Stall)] = reply.stalls.compactMap {
            if case .byte(let offset) = $0.point { (offset, $0.stall) } else { nil }
        }
        if let drip = reply.drip {
            let step = max(drip.count, 1)
            let first = if case .gate = drip.stall { 0 } else { step }
            marks += stride(from: first, to: reply.body.count, by: step).map { ($0, drip.stall) }
        }
        return marks.sorted { $0.offset < $1.offset }
    }

    private static func closes(_ reply: Reply) -> Bool {
        switch (reply.framing, reply.afterwards) {
        case (.claimedLength, _), (.untilClose, _), (.raw, _), (_, .close), (_, .closeUnannounced): true
        case (.length, .keepAlive), (.chunked, .keepAlive): false
        }
    }

    private static func head(of reply: Reply) -> String? {
        var head = "HTTP/1.1 \(reply.status) \(reason(reply.status))\r\n"
        switch reply.framing {
        case .raw: return nil
        case .length where bodiless(reply.status): break
        case .length: head += "Content-Length: \(reply.body.count)\r\n"
        case .claimedLength(let text): head += "Content-Length: \(text)\r\n"
        case .chunked: head += "Transfer-Encoding: chunked\r\n"
        case .untilClose: break
        }
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        if case .close = reply.afterwards { head += "Connection: close\r\n" }
        return head + "\r\n"
    }

    private static func bodiless(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status \(status)"
        }
    }
}
