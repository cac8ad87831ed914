/// Text from outside, fit for a terminal: control characters, which could command it, become `\u{FFFD}`.
package func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        )
    )
}
