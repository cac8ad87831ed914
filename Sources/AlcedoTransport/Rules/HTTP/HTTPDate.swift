import CCurl
package import Foundation

/// The date of a header field.
package enum HTTPDate {
    /// Parses any of HTTP's three date formats; nil if `text` is invalid.
    package static func read(_ text: String?) -> Date? {
        guard let text else { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
