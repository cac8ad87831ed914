import Foundation

/// `NAME=value` lines, as in an environment file of systemd: `#` and `;` start comments, quotes may surround a value.
///
/// `NAME_FILE` names the file of a secret.
struct ConfigurationFile {
    private var values: [String: SettingTexts.Given] = [:]
    /// Those of `NAME_FILE`, by `NAME`; ``values`` override them.
    private var secrets: [String: SettingTexts.Given] = [:]
    private(set) var warnings: [String] = []

    init(_ file: SettingTexts.File) throws(SettingFailure) {
        for (index, line) in file.text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            let place = "\(file.path), line \(index + 1)"
            guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
            guard let equals = line.firstIndex(of: "=") else {
                throw SettingFailure("\(place): expected NAME=value")
            }
            let name = line[..<equals].trimmingCharacters(in: .whitespaces)
            let text = Self.unquoted(
                line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces))
            guard Self.setting(name) != nil else {
                if let secret = Self.secret(inFileOf: name) {
                    guard !text.isEmpty else { continue }
                    secrets[secret] = SettingTexts.Given(
                        text: try SettingTexts.secret(in: text, of: "\(name) (\(place))"),
                        name: "\(name) (\(place))", origin: text)
                    continue
                }
                guard name.hasPrefix("IMGPROXY_") else {
                    throw SettingFailure(
                        "\(place): \(name) is no setting; alcedo serve --check lists them all")
                }
                warnings.append("\(place): \(name) is no setting of Alcedo's, and has no effect")
                continue
            }
            guard !text.isEmpty else { continue }
            values[name] = SettingTexts.Given(text: text, name: "\(name) (\(place))", origin: place)
        }
    }

    func value(of setting: Setting) -> SettingTexts.Given? {
        SettingTexts.prefixes(of: setting).lazy.map { $0 + setting.name }
            .compactMap { values[$0] ?? secrets[$0] }.first
    }

    private static func setting(_ name: String) -> Setting? {
        guard let prefix = SettingTexts.prefixes.first(where: { name.hasPrefix($0) }) else {
            return Setting.all.first { $0.isCommon && $0.name == name }
        }
        let rest = name.dropFirst(prefix.count)
        return Setting.all.first { $0.name == rest && (prefix == "ALCEDO_" || $0.isKnownToImgproxy) }
    }

    /// The name of the secret, if a name is that of a secret followed by `_FILE`.
    private static func secret(inFileOf name: String) -> String? {
        guard name.hasSuffix(SettingTexts.fileSuffix) else { return nil }
        let secret = String(name.dropLast(SettingTexts.fileSuffix.count))
        return setting(secret)?.mayBeInFile == true ? secret : nil
    }

    private static func unquoted(_ text: String) -> String {
        guard let first = text.first, first == "\"" || first == "'", text.count > 1, text.last == first
        else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }
}
