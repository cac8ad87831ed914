enum ResponseCheck {
    /// Why the response to `request` is invalid; nil if it is valid.
    static func defect(
        of headers: HeaderBlock, to request: @autoclosure () -> TransportRequest
    ) -> String? {
        if !hasLength(headers) { return "its Content-Length is invalid" }
        guard headers.status == 206 else { return nil }
        guard let range = request().value(forHeader: "range") else {
            return "it is partial, but the request has no Range"
        }
        return matches(headers.value(of: "Content-Range"), to: range)
            ? nil : "its Content-Range does not match the request's Range"
    }

    /// Whether the Content-Length is valid (RFC 9110, 8.6), absent, or overridden by Transfer-Encoding.
    private static func hasLength(_ headers: HeaderBlock) -> Bool {
        guard !headers.hasOneNumber(called: "Content-Length") else { return true }
        let values = headers.values(of: "Content-Length")
        guard !values.isEmpty, headers.value(of: "Transfer-Encoding") == nil else { return true }
        let lengths = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { number($0.drop { $0 == " " }) }
        return lengths.allSatisfy { $0 != nil && $0 == lengths[0] }
    }

    /// Whether a Content-Range matches the Range; that of several ranges is not checked.
    private static func matches(_ content: String?, to range: String) -> Bool {
        guard !range.contains(",") else { return true }
        guard let content, content.hasPrefix("bytes "), range.hasPrefix("bytes=") else { return false }
        let part = content.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = part[0].split(separator: "-", omittingEmptySubsequences: false).map(number)
        guard part.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], first <= last,
            part[1] == "*" || number(part[1]).map({ last < $0 }) == true
        else { return false }
        let wanted = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard wanted.count == 2 else { return false }
        guard let from = number(wanted[0]) else { return true }
        return first == from && last <= number(wanted[1]) ?? .max
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { $0.decimalDigit != nil } ? Int64(text) : nil
    }
}
