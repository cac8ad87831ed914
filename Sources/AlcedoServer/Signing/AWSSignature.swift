import Foundation

/// A key for an object store.
struct AWSCredentials: Sendable, Equatable {
    var keyID = ""
    var secret = ""

    /// Of a temporary key; empty for others.
    var sessionToken = ""
}

/// AWS Signature Version 4, in headers.
struct AWSSignature: Sendable {
    let credentials: AWSCredentials
    let region: String
    let service: String

    /// What is signed.
    struct Request: Sendable {
        var method = "GET"

        /// As the `Host` header has it: without the scheme's port.
        var host: String

        /// Percent-encoded but for letters, digits, `-._~` and `/`.
        var path: String

        /// Pairs of `NAME=VALUE`, encoded in the same way with `/`, in the order of their bytes.
        var query = ""
        var body: [UInt8] = []
    }

    /// The headers that sign `request` at `date`; nil if libcrypto fails.
    func headers(of request: Request, at date: Date) -> [(name: String, value: String)]? {
        let time = date.formatted(Self.style)
        guard let bodyHash = MessageCode.hashText(of: request.body) else { return nil }
        var headers = [
            (name: "host", value: request.host), (name: "x-amz-content-sha256", value: bodyHash),
            (name: "x-amz-date", value: time),
        ]
        if !credentials.sessionToken.isEmpty {
            headers.append((name: "x-amz-security-token", value: credentials.sessionToken))
        }
        let names = headers.map(\.name).joined(separator: ";")
        let lines =
            [request.method, request.path, request.query] + headers.map { "\($0.name):\($0.value)" }
            + ["", names, bodyHash]
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        guard let requestHash = MessageCode.hashText(of: Array(lines.joined(separator: "\n").utf8)) else {
            return nil
        }
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(requestHash)"
        // The key of the day, the region and the service, then the signature.
        let steps = scope.split(separator: "/").map { Array($0.utf8) } + [Array(text.utf8)]
        let key: [UInt8]? = Array("AWS4\(credentials.secret)".utf8)
        let code = steps.reduce(key) { key, step in key.flatMap { MessageCode.code(of: step, key: $0) } }
        guard let code else { return nil }
        let signature = MessageCode.text(of: code)
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        // The client of HTTP adds the host.
        return headers.dropFirst() + [(name: "Authorization", value: authorization)]
    }

    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(year: .defaultDigits)\(month: .twoDigits)\(day: .twoDigits)T\
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\
            \(second: .twoDigits)Z
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
}
