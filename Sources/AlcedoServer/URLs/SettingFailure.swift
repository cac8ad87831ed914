#if Server
    /// Why a setting stops the start; the text names the setting and what to do, but no secret.
    package struct SettingFailure: Error, Sendable, Equatable, CustomStringConvertible {
        package var text: String

        package init(_ text: String) { self.text = text }

        package var description: String { text }
    }
#endif
