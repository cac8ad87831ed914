import AlcedoTransport

/// Why a setting stops the start; the text names the setting and what to do, but no secret: URLs in it are
/// `ShownURL`s.
package struct SettingFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text.redactingURLs }

    package var description: String { text }
}
