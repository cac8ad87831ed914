import AlcedoTransport
import Foundation
import FoundationNetworking

/// The `Retry-After` header of a response with status 429 or 503 (RFC 9110, 10.2.3).
enum RetryAfter: Equatable {
    /// The longest delay of a load, in seconds.
    static let longestDelay: TimeInterval = 60

    case absent

    /// The delay in seconds.
    case seconds(TimeInterval)

    /// Longer than ``longestDelay``, or malformed.
    case tooLate

    init(_ error: KingfisherError, at now: Date) {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = error,
            [429, 503].contains(response.statusCode),
            let text = response.value(forHTTPHeaderField: "Retry-After")
        else {
            self = .absent
            return
        }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
        let delay = isNumber ? TimeInterval(text) : HTTPDate.read(text)?.timeIntervalSince(now)
        self = delay.map { $0 <= Self.longestDelay ? .seconds(max(0, $0)) : .tooLate } ?? .tooLate
    }
}
