/// Replaces control characters in untrusted text by `\u{FFFD}`, so it cannot send escape sequences to a terminal.
///
/// So it does with scalars at the end of Unicode, which stand for bytes of file names that are not UTF-8.
package func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map {
                $0.properties.generalCategory == .control || $0.value >= 0x10FF80 ? "\u{FFFD}" : $0
            }
        )
    )
}
