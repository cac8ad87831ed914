import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `A signed URL` {
    private static let sources = [
        "http://example.com/a.jpg", "https://example.com/a b.jpg?v=1&w=2#x",
        "https://example.com/100%25@2x.png",
        "https://example.com/%C3%BC.jpg", "https://user:pass@example.com:8080/x.png",
        "https://example.com/plain/x.png",
        "https://example.com/a%3Ab:/c", "http://example.com", "https://example.com/a.b.c.png",
    ]

    @Test(arguments: sources, URLSigner.Form.allCases)
    func `a signed URL is read as it was written`(source: String, form: URLSigner.Form) throws {
        for keys in [[], SignedPath.short, SignedPath.long + SignedPath.short] {
            var rules = URLRules()
            rules.keys = keys
            rules.pathPrefix = keys.isEmpty ? "" : "/images/"
            let signer = URLSigner(rules: rules)
            let url = try signer.url(
                options: "/rs:fill:30:20/q:80/", source: source, form: form, format: "webp")
            let read = try Reading.url(url, rules: rules)
            #expect(read.source == .http(source.replacing(" ", with: "%20")))
            #expect(
                read.options.quality == 80 && read.options.format == .webp && read.options.width == 30)
            #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && !url.contains("?"))
        }
    }

    @Test func `a signed URL of a colon before one slash isn't mended`() throws {
        var rules = URLRules()
        rules.baseURL = "https://example.com/"
        let url = try URLSigner(rules: rules).url(options: "", source: "a:/b")
        #expect(try Reading.url(url, rules: rules).source == .http("https://example.com/a:/b"))
    }

    @Test func `a signed URL names presets`() throws {
        var rules = URLRules()
        rules.presets = try Preset.list(["small=w:10", "sharp=sh:1"], rules: rules)
        rules.onlyPresets = true
        let url = try URLSigner(rules: rules).url(
            options: "small:sharp", source: "http://a.test/b", form: .base64)
        #expect(url == "/unsafe/small:sharp/aHR0cDovL2EudGVzdC9i")
        #expect(try Reading.url(url, rules: rules).options.width == 10)
        #expect(throws: URLFailure.self) {
            try URLSigner(rules: rules).url(options: "", source: "http://a.test/b")
        }
    }

    @Test(arguments: ["w", "w:1/h", "w:1?", "w:1 ", "cb:ä", "cb:#"])
    func `a signed URL can't have options that can't be in a path`(options: String) {
        #expect(throws: URLFailure.self) {
            try URLSigner(rules: URLRules()).url(options: options, source: "http://a.test/b")
        }
    }

    @Test func `a signed URL can't have an empty source or an unknown format`() {
        let signer = URLSigner(rules: URLRules())
        #expect(throws: URLFailure.self) { try signer.url(options: "w:1", source: "") }
        #expect(throws: URLFailure.self) {
            try signer.url(options: "w:1", source: "http://a", format: "pdf")
        }
    }
}
