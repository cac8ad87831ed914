import AlcedoServer
import Foundation

extension SettingTexts {
    static let fileOption = Arguments.Option.value("config")

    /// Collects the texts of the command line, the environment and the file that `--config` names.
    static func given(_ arguments: Arguments, environment: [String: String]) throws -> SettingTexts {
        var flags: [String: String] = [:]
        for setting in Setting.all { flags[setting.flag] = arguments.value(setting.flag) }
        var file: File?
        if let path = arguments.value(fileOption.name) {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw Failure("\(path): cannot be read, or is not UTF-8")
            }
            file = File(path: path, text: text)
        }
        return try SettingTexts(flags: flags, environment: environment, file: file)
    }
}
