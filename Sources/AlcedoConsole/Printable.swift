/// Replaces control characters in untrusted text by `\u{FFFD}`, so it cannot send escape sequences to a terminal.
package func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        )
    )
}
