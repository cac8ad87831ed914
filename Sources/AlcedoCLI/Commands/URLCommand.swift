import AlcedoConsole
import AlcedoServer
import Foundation

/// `alcedo url`: creates signed URLs for `alcedo serve`.
struct URLCommand: Command {
    static let name = "url"
    static let synopsis = "url SOURCE… [--options OPTIONS] [--width N] [--format F] [OPTION]…"
    static let summary = "Prints signed URLs for alcedo serve."
    static let details = """
        SOURCE is an http or https URL, or local:///PATH.

          --options OPTIONS  options as URLs have them, such as rs:fill:300:200/q:80
          --width N, --height N, --gravity G, --dpr N, --quality N, --preset NAMES
                             single options, before those of --options
          --resize fit|fill|fill-down|force|auto
                             how the image gets this size
          --format \(Destination.formats.joined(separator: "|"))
                             the format of the result
          --base64           hide the source in base64
          --base URL         what to print in front, such as https://img.example.com
          --config FILE      the server's settings: key, salt, signature size, path prefix, presets
          --key HEX, --salt HEX
                             sign with this pair; in ALCEDO_KEY and ALCEDO_SALT, or FILE, other users can't see it
        """
    static let examples = [
        Example(
            #"alcedo url --config /etc/alcedo/serve.conf --width 300 --format webp https://example.com/photo.jpg"#,
            "signs a URL with the keys of the server"),
        Example(
            #"alcedo url --base https://img.example.com --options rs:fill:300:200/q:80 local:///photo.jpg"#,
            "prints a whole URL"),
    ]
    static let options: [Arguments.Option] =
        [
            .value("options"), .value("format"), .flag("base64"), .value("base"), SettingTexts.fileOption,
            .value("key"), .value("salt"),
        ] + singleOptions.map { .value($0.flag) }

    private static let singleOptions = [
        (flag: "preset", name: "pr"), (flag: "resize", name: "rt"), (flag: "width", name: "w"),
        (flag: "height", name: "h"), (flag: "gravity", name: "g"), (flag: "dpr", name: "dpr"),
        (flag: "quality", name: "q"),
    ]

    private let sources: [String]
    private let base: String
    private let form: URLSigner.Form
    private let format: String?
    private let imageOptions: String
    private let rules: URLRules

    init(_ arguments: Arguments) throws {
        guard !arguments.operands.isEmpty else { throw UsageError(message: "url needs a SOURCE") }
        sources = arguments.operands
        base = arguments.value("base") ?? ""
        form = arguments.has("base64") ? .base64 : .plain
        format = arguments.value("format")
        do {
            let texts = try SettingTexts.given(
                arguments, environment: ProcessInfo.processInfo.environment)
            rules = try texts.settings().urls
        } catch let failure as SettingFailure {
            throw UsageError(message: failure.text)
        }
        let separator = rules.argumentsSeparator
        let single = Self.singleOptions.compactMap { option in
            arguments.value(option.flag).map { "\(option.name)\(separator)\($0)" }
        }
        imageOptions = (single + [arguments.value("options") ?? ""]).filter { !$0.isEmpty }.joined(
            separator: "/")
    }

    func run() async throws -> ExitCode {
        let signer = URLSigner(rules: rules)
        for source in sources {
            do {
                let path = try signer.url(
                    options: imageOptions, source: source, form: form, format: format)
                // Rejects what the server would reject.
                _ = try ImageURL(
                    requestTarget: path, rules: rules, now: Int(Date().timeIntervalSince1970))
                Terminal.print((base.hasSuffix("/") ? String(base.dropLast()) : base) + path + "\n")
            } catch {
                throw Failure("\(source): \(error.reason)")
            }
        }
        return .success
    }
}
