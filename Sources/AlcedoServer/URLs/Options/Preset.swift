/// Options under a name, which URLs refer to.
package struct Preset: Sendable, Equatable {
    let options: [OptionArguments]

    /// Reads presets such as `thumbnail=rs:fill:100:100/q:70`; the last of one name wins.
    ///
    /// Ignores empty texts and those that start with `#`. `rules` are the other settings: separator, security
    /// options, defaults.
    package static func list(_ texts: [String], rules: URLRules) throws(SettingFailure) -> [String:
        Preset]
    {
        var rules = rules
        rules.presets = [:]
        for text in texts {
            let text = trimmed(text[...])
            guard !text.isEmpty, text.first != "#" else { continue }
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                trimmed)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw SettingFailure("The preset “\(text)” is not of the form name=options.")
            }
            rules.presets[String(sides[0])] = try Preset(sides[1], name: sides[0], rules: rules)
        }
        for (name, preset) in rules.presets.sorted(by: { $0.key < $1.key }) {
            try preset.check(name, rules)
        }
        return rules.presets
    }

    private init(_ text: Substring, name: Substring, rules: URLRules) throws(SettingFailure) {
        var options: [OptionArguments] = []
        for segment in Array(text.utf8).parts(by: .slash) where !segment.isEmpty {
            guard let option = OptionArguments(segment, separator: Array(rules.argumentsSeparator.utf8))
            else {
                throw SettingFailure(
                    "The preset “\(name)” has the option “\(segment.text)” without arguments.")
            }
            options.append(option)
        }
        self.options = options
    }

    private func check(_ name: String, _ rules: URLRules) throws(SettingFailure) {
        // A preset may expire; that is checked when a URL names it.
        var reader = OptionReader(rules: rules, hints: .none, now: .min)
        do throws(URLFailure) {
            for option in options { try reader.apply(option) }
        } catch {
            throw SettingFailure("The preset “\(name)” is wrong: \(error.reason).")
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
