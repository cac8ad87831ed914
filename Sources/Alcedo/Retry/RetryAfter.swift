import AlcedoTransport
import Foundation
import FoundationNetworking

/// When a server that is too busy wants to be asked again (RFC 9110, 10.2.3).
enum RetryAfter: Equatable {
    /// The longest pause, in seconds, for which a load waits.
    static let longestPause: TimeInterval = 60

    /// It does not say.
    case unsaid

    /// After so many seconds.
    case seconds(TimeInterval)

    /// Later than a load waits for, or in words that cannot be read.
    case notSoon

    /// What the server has said with status 429 or 503.
    init(_ error: KingfisherError, at now: Date) {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = error,
            [429, 503].contains(response.statusCode),
            let text = response.value(forHTTPHeaderField: "Retry-After")
        else {
            self = .unsaid
            return
        }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
        let pause = isNumber ? TimeInterval(text) : HTTPDate.read(text)?.timeIntervalSince(now)
        self = pause.map { $0 <= Self.longestPause ? .seconds(max(0, $0)) : .notSoon } ?? .notSoon
    }
}
