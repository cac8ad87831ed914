import CCurl
package import Foundation

/// A moment as header fields tell it.
package enum HTTPDate {
    /// Reads any of HTTP's three ways to write a date; nil if it is none.
    package static func read(_ text: String?) -> Date? {
        guard let text else { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
