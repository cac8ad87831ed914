/// Where a span belongs, as services pass it on in `traceparent` (W3C Trace Context).
struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits.
    let trace: String
    /// 16 hexadecimal digits.
    let span: String
    /// Whether the trace is recorded.
    let isSampled: Bool

    init(trace: String, span: String, isSampled: Bool) {
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// Reads the value of a header; nil if it is none, which starts a new trace.
    init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        // A later version may have more parts; ff is none (W3C Trace Context).
        guard parts.count >= 4, parts[0] != "00" || parts.count == 4, parts[0] != "ff",
            zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, count: $1) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(trace: String(parts[1]), span: String(parts[2]), isSampled: flags & 1 == 1)
    }

    var traceparent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    /// The same trace with a span of its own.
    var child: TraceContext { TraceContext(trace: trace, span: Self.newID(), isSampled: isSampled) }

    static func newTrace(isSampled: Bool) -> TraceContext {
        TraceContext(trace: newID() + newID(), span: newID(), isSampled: isSampled)
    }

    /// Whether a text is a value of `tracestate`, `key=value,…`; others would make origins reject the request.
    static func isState(_ text: String) -> Bool {
        guard text.utf8.count <= 512, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return false
        }
        let members = text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        guard (1...32).contains(members.count) else { return false }
        return members.allSatisfy { member in
            let sides = member.split(separator: "=", omittingEmptySubsequences: false)
            return sides.count == 2 && sides.allSatisfy { !$0.isEmpty }
        }
    }

    private static func newID() -> String {
        let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
