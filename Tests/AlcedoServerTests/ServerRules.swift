@testable import AlcedoServer

/// Reads URLs in tests: without keys, and at a fixed time.
enum Reading {
    static let now = 1_800_000_000

    static func url(
        _ target: String, rules: URLRules = URLRules(), hints: ClientHints = .none
    ) throws(URLFailure) -> ImageURL {
        try ImageURL(requestTarget: target, rules: rules, hints: hints, now: now)
    }

    /// The options of `/unsafe/OPTIONS/plain/http://a.test/b.png`.
    static func options(
        _ text: String, rules: URLRules = URLRules(), hints: ClientHints = .none
    ) throws(URLFailure) -> ProcessingOptions {
        let slash = text.isEmpty ? "" : "/"
        return try url("/unsafe/\(text)\(slash)plain/http://a.test/b.png", rules: rules, hints: hints)
            .options
    }

    /// Why a target is rejected; `nil` if it isn't.
    static func failure(_ target: String, rules: URLRules = URLRules()) -> URLFailure.Kind? {
        do throws(URLFailure) {
            _ = try url(target, rules: rules)
            return nil
        } catch {
            return error.kind
        }
    }

    static func optionFailure(_ text: String, rules: URLRules = URLRules()) -> URLFailure.Kind? {
        failure("/unsafe/\(text)/plain/http://a.test/b.png", rules: rules)
    }
}
