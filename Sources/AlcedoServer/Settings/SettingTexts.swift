import AlcedoPixels
import AlcedoTransport
import Foundation
import Glibc

/// The texts of settings, from where they were given; a flag wins over `ALCEDO_…` in the environment, that over
/// `IMGPROXY_…`, that over the configuration file, and that over the default.
package struct SettingTexts: Sendable {
    /// The configuration file's name and text.
    package struct File: Sendable {
        package var path: String
        package var text: String

        package init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    struct Given: Sendable {
        var text: String
        /// As it was given, such as `--bind` or `IMGPROXY_BIND`.
        var name: String
        var origin: String
    }

    static let prefixes = ["ALCEDO_", "IMGPROXY_"]

    /// What may be in front of the name.
    static func prefixes(of setting: Setting) -> [String] {
        setting.isKnownToImgproxy ? prefixes : setting.isCommon ? ["ALCEDO_", ""] : ["ALCEDO_"]
    }

    private(set) var given: [String: Given] = [:]
    /// What has no effect.
    package private(set) var warnings: [String] = []

    /// Collects texts; empty ones don't count.
    ///
    /// - Parameters:
    ///   - flags: by the names of ``Setting/flag``.
    ///   - environment: the environment's variables.
    ///   - file: the configuration file; none by default.
    /// - Throws: ``SettingFailure`` if the file is none.
    package init(
        flags: [String: String] = [:], environment: [String: String] = [:], file: File? = nil
    ) throws(SettingFailure) {
        let lines = try file.map { file throws(SettingFailure) in try ConfigurationFile(file) }
        for setting in Setting.all {
            if let text = flags[setting.flag], !text.isEmpty {
                given[setting.name] = Given(text: text, name: "--\(setting.flag)", origin: "command line")
                continue
            }
            for prefix in Self.prefixes(of: setting) {
                let name = prefix + setting.name
                guard let text = try Self.text(of: name, mayBeInFile: setting.mayBeInFile, environment) else {
                    continue
                }
                given[setting.name] = text
                break
            }
            if given[setting.name] == nil { given[setting.name] = lines?.value(of: setting) }
        }
        // Platforms that choose a port give it in this variable.
        if given["BIND"] == nil, let port = environment["PORT"], !port.isEmpty {
            given["BIND"] = Given(text: ":\(port)", name: "PORT", origin: "environment")
        }
        warnings =
            unknown(environment) + filesWithoutEffect(environment) + (lines?.warnings ?? [])
            + settingsAlone()
        if let only = given["ONLY_PRESETS"], (try? truth(only.text)) == true,
            Self.presets.allSatisfy({ given[$0] == nil })
        {
            warnings.append(
                "\(only.name) rejects all URLs, as neither ALCEDO_PRESETS nor ALCEDO_PRESETS_PATH defines a preset"
            )
        }
        if let size = given["SIGNATURE_SIZE"], let bytes = Int(size.text), bytes < 8 {
            warnings.append("\(size.name) is below 8: shorter signatures can be guessed")
        }
        if let strips = given["STRIP_COLOR_PROFILE"], (try? truth(strips.text)) == false,
            let sandbox = given["SANDBOX"], sandbox.text == "require"
        {
            warnings.append(
                "\(strips.name) has no effect on sources with a profile with \(sandbox.name)=require: their results are in sRGB"
            )
        }
    }

    /// The settings that define presets.
    private static let presets = ["PRESETS", "PRESETS_PATH"]

    /// Files of secrets that are not read, as the secret itself is given.
    private func filesWithoutEffect(_ environment: [String: String]) -> [String] {
        Setting.all.filter(\.mayBeInFile).flatMap { setting in
            Self.prefixes(of: setting).compactMap { prefix in
                let file = prefix + setting.name + Self.fileSuffix
                guard environment[file]?.isEmpty == false, let given = given[setting.name],
                    given.name != file
                else { return nil }
                return "\(file) has no effect, as \(given.name) is given"
            }
        }
    }

    /// The text of a variable, or of a secret that a file has: the one that `NAME_FILE` names, or that systemd passes as the
    /// credential `NAME`.
    private static func text(
        of name: String, mayBeInFile: Bool, _ environment: [String: String]
    ) throws(SettingFailure) -> Given? {
        if let text = environment[name], !text.isEmpty {
            return Given(text: text, name: name, origin: "environment")
        }
        guard mayBeInFile else { return nil }
        let fileName = name + fileSuffix
        if let path = environment[fileName], !path.isEmpty {
            return Given(text: try secret(in: path, of: fileName), name: fileName, origin: path)
        }
        guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
        let path = folder + "/" + name
        guard access(path, F_OK) == 0 else { return nil }
        return Given(text: try secret(in: path, of: name), name: name, origin: "credential of systemd")
    }

    /// Behind the name of a secret that is in a file.
    static let fileSuffix = "_FILE"

    /// The text of a file without the white space at its ends, which editors and `echo` add.
    static func secret(in path: String, of name: String) throws(SettingFailure) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SettingFailure("\(name) takes a file of text, and \(path) can't be read")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else {
            throw SettingFailure("\(name) takes a file with a secret, and \(path) is empty")
        }
        return secret
    }

    /// Variables that look like settings and are none.
    private func unknown(_ environment: [String: String]) -> [String] {
        let isTracing = given["OTEL_EXPORTER_OTLP_ENDPOINT"] != nil
        func isKnown(_ name: String) -> Bool {
            Setting.all.contains { $0.name == name || $0.mayBeInFile && $0.name + Self.fileSuffix == name }
        }
        return environment.keys.sorted().compactMap { name in
            if isTracing, name.hasPrefix("OTEL_"), !isKnown(name) {
                return
                    "\(name) in the environment is none of OpenTelemetry's that Alcedo reads, and has no effect"
            }
            guard let prefix = Self.prefixes.first(where: { name.hasPrefix($0) }) else { return nil }
            guard !isKnown(String(name.dropFirst(prefix.count))) else { return nil }
            return "\(name) in the environment is no setting of Alcedo's, and has no effect"
        }
    }

    package func settings() throws(SettingFailure) -> ServerSettings {
        var settings = ServerSettings()
        for setting in Setting.all {
            let value = given[setting.name]
            let text = value?.text ?? setting.defaultText
            guard !text.isEmpty else { continue }
            do {
                try setting.apply(&settings, text)
            } catch let failure as SettingFailure {
                throw failure
            } catch {
                let name = value?.name ?? setting.name
                let allowed = (error as? Setting.Rejected)?.allowed ?? "\(error)"
                let shown =
                    setting.isSecret ? "its value is not" : "not “\(text.redactingURLs.prefix(200))”"
                throw SettingFailure(
                    setting.isSecret
                        ? "\(name) takes \(allowed); \(shown)" : "\(name) takes \(allowed), \(shown)")
            }
        }
        try finish(&settings)
        return settings
    }

    /// Reads the texts that other settings are needed to understand.
    private func finish(_ settings: inout ServerSettings) throws(SettingFailure) {
        let texts = settings.unread
        settings.urls.keys = try SigningKey.pairs(
            keys: texts.keys, salts: texts.salts, names: (name(of: "KEY"), name(of: "SALT")))
        settings.urls.defaults.formatQuality = try quality(texts)
        if let problem = settings.urls.defaults.autoQuality.problem {
            throw SettingFailure(
                "\(name(of: "AUTOQUALITY_METHOD")) and \(name(of: "AUTOQUALITY_TARGET")): \(problem)")
        }
        let presets = texts.presetsText.split(separator: texts.presetsSeparator).map(String.init)
        do throws(SettingFailure) {
            settings.urls.presets = try Preset.list(presets + texts.presets, rules: settings.urls)
        } catch {
            let names = Self.presets.filter { given[$0] != nil }.map(name)
            throw SettingFailure("\(names.joined(separator: " and ")): \(error.text)")
        }
        if !settings.cache.memcached.isEmpty, settings.cache.memcachedSecret.isEmpty {
            throw SettingFailure(
                "\(name(of: "MEMCACHED")) needs \(name(of: "MEMCACHED_SECRET")), which signs what the servers keep; "
                    + "try openssl rand -hex 32")
        }
        if !settings.sources.passedHeaders.isEmpty, settings.urls.allowedSources == nil {
            throw SettingFailure(
                "\(name(of: "REQUEST_HEADERS_PASSTHROUGH")) needs \(name(of: "ALLOWED_SOURCES")): "
                    + "otherwise any host that a URL names would get the headers of clients")
        }
        try setObjectStores(&settings)
        try setResultBucket(&settings)
        settings.unread = UnreadTexts()
    }

    private func quality(_ texts: UnreadTexts) throws(SettingFailure) -> [EncodedFormat: Int] {
        let others: [EncodedFormat: Int] = [.jpeg: texts.quality, .heic: texts.quality]
        do throws(Setting.Rejected) {
            return others.merging(try qualities(texts.formatQuality)) { $1 }
        } catch {
            throw SettingFailure(
                "\(name(of: "FORMAT_QUALITY")) takes \(error.allowed), not “\(texts.formatQuality)”")
        }
    }

    /// The name under which a setting was given.
    func name(of setting: String) -> String { given[setting]?.name ?? "ALCEDO_\(setting)" }

    /// All settings with their values, as a configuration file; secrets are left out, those in URLs too.
    package var listing: String {
        Setting.all.map { setting in
            let value = given[setting.name]
            let text = value?.text ?? setting.defaultText
            let shown = setting.isSecret && !text.isEmpty ? "(secret)" : text.redactingURLs
            return "ALCEDO_\(setting.name)=\(shown)  # \(value?.origin ?? "default")\n"
        }
        .joined()
    }
}

extension Setting {
    /// Whether `NAME_FILE` names a file that has its value at the start: for secrets, unless that is a setting of its own.
    var mayBeInFile: Bool {
        isSecret && !Self.all.contains { $0.name == name + SettingTexts.fileSuffix }
    }
}
