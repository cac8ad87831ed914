/// One setting: a flag, a variable of the environment or a line of the configuration file.
package struct Setting: Sendable {
    /// Why a text is no value: what is allowed.
    struct Refused: Error {
        let allowed: String

        init(_ allowed: String) { self.allowed = allowed }
    }

    /// Such as `REQUESTS_QUEUE_SIZE`; the environment has it with `ALCEDO_` or `IMGPROXY_` in front.
    package let name: String
    /// The text that counts if none is given; empty for none.
    package let defaultText: String
    /// What it does, for the help.
    package let summary: String
    /// Whether its value is never shown.
    package let isSecret: Bool
    /// Whether imgproxy has it, so that its name counts too.
    package let isKnownToImgproxy: Bool
    /// Not called with an empty text.
    let apply: @Sendable (inout ServerSettings, String) throws -> Void

    init(
        _ name: String, _ defaultText: String = "", _ summary: String, isSecret: Bool = false,
        isOwn: Bool = false,
        apply: @escaping @Sendable (inout ServerSettings, String) throws -> Void
    ) {
        self.name = name
        self.defaultText = defaultText
        self.summary = summary
        self.isSecret = isSecret
        isKnownToImgproxy = !isOwn
        self.apply = apply
    }

    /// Such as `requests-queue-size`.
    package var flag: String { name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined() }

    /// All settings, in the order of the help.
    package static let all: [Setting] = server + cache + urls + sources + answers + operation
}
