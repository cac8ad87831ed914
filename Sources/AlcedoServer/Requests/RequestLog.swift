import AlcedoHTTPServer
import AlcedoLocks
import AlcedoTransport
import Foundation

/// Writes a line for each request, and sums up equal errors.
package final class RequestLog: Sendable {
    /// A request whose response has been sent, or can't be.
    struct Entry: Sendable {
        var id: String
        var method: String
        /// Nil if unknown.
        var client: String?
        /// See ``LoggedPath``.
        var path: String
        var response: ServerResponse
        /// Of the body.
        var bytes: Int
        var isSent: Bool
        /// From the request to its response.
        var time: Duration
        /// Of sending the response.
        var sending: Duration
    }

    package let writer: LogWriter
    private let format: LogFormat
    private let level: LogLevel
    private let errors = Lock(ErrorLimiter())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - writer: writes the lines.
    ///   - format: how.
    ///   - level: lines that matter less are left out.
    ///   - now: the time, which limits the lines of equal errors.
    package init(
        _ writer: LogWriter, format: LogFormat = .json, level: LogLevel = .info,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.writer, self.format, self.level, self.now) = (writer, format, level, now)
    }

    /// Writes a message of the server.
    package func write(_ event: String, _ text: String) {
        let level: LogLevel = event == "error" ? .error : event == "warning" ? .warn : .info
        guard var line = line(level) else { return }
        line.add("event", event)
        line.add("message", text.redactingURLs, limit: 4096)
        writer.append(line.line)
    }

    func write(_ entry: Entry) {
        let now = now()
        if let kind = entry.errorKind, !errors.withLock({ $0.admits(kind, at: now) }) { return }
        guard let line = line(entry.level) else { return }
        writer.append(entry.added(to: line))
    }

    /// The start of a line; nil if it matters too little.
    private func line(_ level: LogLevel) -> LogLine? {
        guard level >= self.level else { return nil }
        var line = LogLine(format)
        line.add(time: Date())
        line.add("level", level.rawValue)
        return line
    }

    /// Writes the sums of errors whose period has ended; all at the end.
    package func sumUp(all: Bool = false) {
        let now = now()
        for (kind, count) in errors.withLock({ $0.takeSums(at: now, all: all) }) {
            guard var line = line(LogLevel(status: kind.status)) else { continue }
            line.add("event", "refusals")
            line.add("status", kind.status)
            line.add("reason", kind.text)
            line.add("count", count)
            writer.append(line.line)
        }
    }
}

extension RequestLog.Entry {
    /// The kind of the error, if there is one.
    fileprivate var errorKind: ErrorLimiter.Kind? {
        guard response.http.status >= 400 else { return nil }
        return ErrorLimiter.Kind(
            status: response.http.status, text: response.errorKind?.rawValue ?? "other")
    }

    fileprivate var level: LogLevel { LogLevel(status: response.http.status) }

    fileprivate func added(to start: LogLine) -> String {
        var line = start
        line.add("id", id, limit: 128)
        line.add("method", method, limit: 16)
        if let client { line.add("client", client) }
        line.add("path", path, limit: 1024)
        line.add("status", response.http.status)
        line.add("bytes", bytes)
        line.add("ms", time)
        for (span, duration) in response.spans.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            line.add("\(span.rawValue)_ms", duration)
        }
        line.add("sending_ms", sending)
        line.add("tier", response.tier.rawValue)
        if !isSent { line.add("aborted", true) }
        if let kind = response.errorKind { line.add("error", kind.rawValue) }
        if let reason = response.reason { line.add("reason", reason.redactingURLs) }
        return line.line
    }
}

extension LogLevel {
    fileprivate init(status: Int) { self = status >= 500 ? .error : status >= 400 ? .warn : .info }
}
