import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `Presets` {
    private func rules(_ presets: String..., change: (inout URLRules) -> Void = { _ in }) throws
        -> URLRules
    {
        var rules = URLRules()
        change(&rules)
        rules.presets = try Preset.list(presets, rules: rules)
        return rules
    }

    @Test func `presets stand for options`() throws {
        let rules = try rules("a=rs:fill:10:20/q:70", "b=dpr:2")
        for text in ["pr:a:b", "preset:a/pr:b", "pr:b/pr:a"] {
            let options = try Reading.options(text, rules: rules)
            #expect(
                options.resizingType == .fill && options.width == 10 && options.dpr == 2
                    && options.quality == 70)
        }
        #expect(try Reading.options("pr:a/w:3", rules: rules).width == 3)
        #expect(try Reading.options("w:3/pr:a", rules: rules).width == 10)
        #expect(Reading.optionFailure("pr:c", rules: rules) == .invalidURL)
        #expect(Reading.optionFailure("pr:a:", rules: rules) == .invalidURL)
        #expect(Reading.optionFailure("pr:", rules: rules) == .invalidURL)
    }

    @Test func `the preset default is applied first`() throws {
        let rules = try rules("default=w:10/q:5", "a=q:6")
        #expect(try Reading.options("", rules: rules).width == 10)
        #expect(try Reading.options("w:3", rules: rules).width == 3)
        #expect(try Reading.options("pr:a", rules: rules).quality == 6)
        let hints = ClientHints(width: "99")
        #expect(try Reading.options("", rules: rules, hints: hints).width == 10)
    }

    @Test func `presets may use each other, but not themselves`() throws {
        let rules = try rules("a=w:1/pr:b/h:1", "b=w:2/pr:a/q:2", "c=pr:c/w:3")
        let options = try Reading.options("pr:a", rules: rules)
        #expect(options.width == 2 && options.height == 1 && options.quality == 2)
        #expect(try Reading.options("pr:c", rules: rules).width == 3)
    }

    @Test func `presets may be all that a URL has`() throws {
        let rules = try rules("default=q:5", "a=w:1", "b=h:2") { $0.onlyPresets = true }
        let url = try Reading.url("/unsafe/a:b/plain/http://a.test/b.png@webp", rules: rules)
        #expect(url.options.width == 1 && url.options.height == 2 && url.options.quality == 5)
        #expect(url.options.format == .webp)
        #expect(try Reading.url("/unsafe/a/aHR0cDovL2EudGVzdC9i", rules: rules).options.width == 1)
        for path in ["w:1/plain/http://a.test/b", "plain/http://a.test/b", "/plain/http://a.test/b", "a"] {
            #expect(Reading.failure("/unsafe/\(path)", rules: rules) == .invalidURL)
        }
    }

    @Test func `presets are exempt from the list of allowed options`() throws {
        let rules = try rules("a=w:1/q:70") { $0.allowedOptions = ["pr", "w", "f"] }
        #expect(try Reading.options("w:3/pr:a", rules: rules).quality == 70)
        #expect(try Reading.url("/unsafe/plain/http://a.test/b@png", rules: rules).options.format == .png)
        for option in ["width:3", "q:3", "preset:a", "msr:1", "unknown:1"] {
            #expect(Reading.optionFailure(option, rules: rules) == .invalidURL)
        }
    }

    @Test func `presets are read by line, with space around and comments`() throws {
        let rules = try rules("  a = w:1/h:2 ", "", "# b=w:1", "   ", "a=w:3/")
        #expect(rules.presets.keys.sorted() == ["a"])
        #expect(try Reading.options("pr:a", rules: rules).width == 3)
    }

    @Test(arguments: [
        "a", "=w:1", "a=", "a=w", "a=w:x", "a=unknown:1", "a=pr:b", "a=msr:1", "a=fit/w:1",
        "a=w:1/plain/http://a",
    ])
    func `presets that are wrong stop the start`(text: String) {
        let failure = #expect(throws: SettingFailure.self) { try Preset.list([text], rules: URLRules()) }
        #expect(failure?.text.contains("preset “") == true)
    }

    @Test func `presets may set limits if that is allowed, and expire`() throws {
        let rules = try rules("a=msr:1", "b=exp:5") { $0.allowsSecurityOptions = true }
        #expect(try Reading.options("pr:a", rules: rules).limits.maxSourceResolution == 1)
        #expect(Reading.optionFailure("pr:b", rules: rules) == .invalidURL)
    }

    @Test func `presets use the separator of arguments`() throws {
        let rules = try rules("a=rs_fill_10_20") { $0.argumentsSeparator = "_" }
        #expect(try Reading.options("pr_a", rules: rules).width == 10)
        let long = try self.rules("a=w==3") { $0.argumentsSeparator = "==" }
        #expect(try Reading.options("pr==a", rules: long).width == 3)
        #expect(Reading.failure("/w==3/plain/http://a.test/b", rules: long) == .forbidden)
        #expect(Reading.optionFailure("w:3", rules: long) == .invalidURL)
    }
}
