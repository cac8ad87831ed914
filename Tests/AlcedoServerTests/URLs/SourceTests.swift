import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `The source of a URL` {
    private func source(_ path: String, _ change: (inout URLRules) -> Void = { _ in }) throws
        -> ImageSource
    {
        var rules = URLRules()
        change(&rules)
        return try Reading.url("/_/\(path)", rules: rules).source
    }

    private func failure(_ path: String, _ change: (inout URLRules) -> Void = { _ in }) -> URLFailure
        .Kind?
    {
        var rules = URLRules()
        change(&rules)
        return Reading.failure("/_/\(path)", rules: rules)
    }

    @Test(arguments: [
        ("http://a.test/b", "http://a.test/b"), ("http://a.test/b@", "http://a.test/b"),
        ("HTTPS://A.test/b", "HTTPS://A.test/b"), ("http://a.test/%25", "http://a.test/%25"),
        ("http://a.test/100%25.png", "http://a.test/100%25.png"),
        ("http://a.test/%2520", "http://a.test/%20"),
        ("http://a.test/%40x", "http://a.test/@x"), ("http://a.test/a+b", "http://a.test/a+b"),
        ("http://a.test/%20%22%FF", "http://a.test/%20%22%FF"),
        ("http://a.test/%C3%BC", "http://a.test/%C3%BC"),
        ("http://a.test//x", "http://a.test//x"), ("http://a.test?x", "http://a.test?x"),
        ("http://%C3%BC.test/%C3%BC", "http://ü.test/%C3%BC"),
        ("http://a.test/%23x%3F", "http://a.test/#x?"),
    ])
    func `a URL's source may be plain`(text: String, wanted: String) throws {
        let url = wanted == "http://a.test?x" ? "http://a.test%3Fx" : text
        #expect(try source("plain/\(url)") == .http(wanted))
    }

    @Test func `a URL's source is decoded once`() throws {
        #expect(try source("plain/http%3A%2F%2Fa.test%2Fb%252Fc") == .http("http://a.test/b%2Fc"))
    }

    @Test(arguments: [
        "plain/http://a.test/b@png@webp", "plain/http://u@a.test/b", "plain/http://a.test/%",
        "plain/http://a.test/%2",
        "plain/http://a.test/%zz", "plain/http://a.test/b@pdf", "plain/http://a.test/b@best",
        "plain/http://a.test/b@PNG",
        "aHR0cDovL2EudGVzdC9i.png.webp", "aHR0cDovL2EudGVzdC9i.pdf", "aHR0cDovL2EudGVzdC9i+", "a",
        "aHR0c", "%", "",
        "ü", "aHR0cDovL2EudGVzdC9i=a", "=", ".png", "....",
    ])
    func `a URL with a malformed source is invalid`(path: String) {
        #expect(failure(path) == .invalidURL)
    }

    @Test(arguments: [
        "aHR0cDovL2EudGVzdC9i", "aHR0c/DovL2Eu/dGVzdC9i", "aHR0cDovL2EudGVzdC9i.",
        "a/H/R/0/c/D/o/v/L/2/E/u/d/G/V/z/d/C/9/i",
        "aHR0cDovL2EudGVzdC9i===", "aHR0cDovL2EudGVzdC9i=", "aHR0//cDovL2EudGVzdC9i/",
    ])
    func `a URL's source may be Base64, cut anywhere`(path: String) throws {
        #expect(try source(path) == .http("http://a.test/b"))
    }

    @Test func `a URL's source in Base64 is the URL-safe kind`() throws {
        // http://a.test/??>>~~
        #expect(try source("aHR0cDovL2EudGVzdC8_Pz4-fn4") == .http("http://a.test/??%3E%3E~~"))
        #expect(failure("aHR0cDovL2EudGVzdC8/Pz4+fn4") == .invalidURL)
        #expect(try Reading.url("/_/aHR0cDovL2EudGVzdC9i.webp").options.format == .webp)
        #expect(try Reading.url("/_/f:png/aHR0cDovL2EudGVzdC9i.webp").options.format == .webp)
        #expect(try Reading.url("/_/f:png/aHR0cDovL2EudGVzdC9i.").options.format == .png)
        #expect(try Reading.url("/_/f:png/plain/http://a.test/b@").options.format == .png)
    }

    @Test func `a URL's source in Base64 may end with a file name`() throws {
        func named(_ rules: inout URLRules) { rules.base64IncludesFilename = true }
        #expect(try source("aHR0cDovL2Eu/dGVzdC9i/my.holiday.png", named) == .http("http://a.test/b"))
        #expect(try source("aHR0cDovL2EudGVzdC9i", named) == .http("http://a.test/b"))
        #expect(try source("aHR0cDovL2EudGVzdC9i.png/x", named) == .http("http://a.test/b"))
        #expect(try source("plain/http://a.test/b", named) == .http("http://a.test/b"))
    }

    @Test(arguments: [
        "s3://bucket/key", "gs://bucket/key", "abs://c/key", "swift://c/key", "ftp://a.test/b",
        "file:///etc/passwd", "data:,x",
        "a.test/b", "//a.test/b", "/b", "http", "http:", "javascript:alert(1)", "://x", "ht%20tp://a",
    ])
    func `a URL's source has a scheme that is loaded`(text: String) {
        #expect(failure("plain/\(text)") == .unsupportedScheme)
    }

    @Test(arguments: [
        "http://", "http:///x", "http://%FF/x", "http://a.test/%00", "http://a.test/%0D%0AX:1",
        "http://%3Fx",
    ])
    func `a URL's source has a host and no control characters`(text: String) {
        #expect(failure("plain/\(text)") == .forbiddenSource)
    }

    // MARK: - Local files

    @Test(arguments: [
        ("local:///a/b.png", "/a/b.png"), ("local:///a/../../b.png", "/b.png"),
        ("local:////a//b.png", "/a/b.png"),
        ("local:///./a/./b.png", "/a/b.png"), ("local:///%2E%2E/%252e%252e/b", "/b"),
        ("local:///..%2F..%2Fb", "/b"),
        ("local:///a%20b.png", "/a b.png"), ("local:///a%2520b.png", "/a b.png"),
        ("local:///100%25.png", "/100%.png"),
        ("local:///%C3%BC.png", "/ü.png"), ("local:///a%3Fb", "/a"), ("LOCAL:///a", "/a"),
        ("local:///..a/b..", "/..a/b.."),
    ])
    func `a URL's source may be a file below the root`(text: String, path: String) throws {
        #expect(try source("plain/\(text)") == .local(path: path))
    }

    @Test(arguments: [
        "local://a/b.png", "local:///", "local:////", "local:///a/", "local:///..", "local:///a/..",
        "local:///.",
        "local:///a%00.png", "local:///a%2500.png", "local:///%FF", "local://",
    ])
    func `a URL's source is no folder and no host`(text: String) {
        #expect(failure("plain/\(text)") == .forbiddenSource)
    }

    // MARK: - Settings

    @Test func `a URL's source gets the base URL unless it has it`() throws {
        func based(_ rules: inout URLRules) { rules.baseURL = "https://a.test/img/" }
        #expect(try source("plain/b.png", based) == .http("https://a.test/img/b.png"))
        #expect(try source("plain/https://a.test/img/b.png", based) == .http("https://a.test/img/b.png"))
        #expect(try source("Yi5wbmc", based) == .http("https://a.test/img/b.png"))
        #expect(try source("plain/http://b.test/c", based) == .http("https://a.test/img/http://b.test/c"))
        #expect(failure("plain/", based) == .invalidURL)
    }

    @Test(arguments: [
        ("@b.test/c", "https://a.test/@b.test/c"), (".b.test/c", "https://a.test/.b.test/c"),
        (":80@b.test/c", "https://a.test/:80@b.test/c"), ("/c", "https://a.test/c"),
        ("https://a.test@b.test/c", "https://a.test/https://a.test@b.test/c"),
        ("https://a.test.b.test/c", "https://a.test/https://a.test.b.test/c"),
        ("https://a.test/c", "https://a.test/c"), ("%5C@b.test/c", "https://a.test/%5C@b.test/c"),
    ])
    func `a URL's source does not choose another host than that of the base URL`(text: String, wanted: String)
        throws
    {
        let path = text.replacing("@", with: "%40")
        #expect(try source("plain/\(path)") { $0.baseURL = "https://a.test" } == .http(wanted))
    }

    @Test(arguments: ["../c", "b/../../c", "%2e%2e/c", "b/%252e%252E/c", "..%5Cc"])
    func `a URL's source does not leave the base URL`(text: String) {
        #expect(failure("plain/\(text)") { $0.baseURL = "https://a.test/img/" } == .forbiddenSource)
    }

    @Test(arguments: ["https://a.test%5C%40b.test/c", "https://a.test%5Cc"])
    func `a URL's source has no backslash behind its host`(text: String) {
        #expect(failure("plain/\(text)") == .forbiddenSource)
    }

    @Test(arguments: [
        ("alice/public/c.png", true), ("alice%252Fprivate/public/c.png", false),
        ("alice%252fb/public/c.png", false),
        ("alice%2Fprivate/public/c.png", false), ("%C3%BC/public/c.png", true),
        ("a%2520b/public/c.png", true),
        ("alice//public/c.png", true), ("alice/private/c.png", false),
    ])
    func `a URL's source is allowed as the file that it opens`(path: String, isAllowed: Bool) {
        let kind = failure("plain/local:///users/\(path)") {
            $0.allowedSources = SourcePattern.list("local:///users/*/public/")
        }
        #expect(kind == (isAllowed ? nil : .forbiddenSource))
    }

    @Test func `a URL's source is replaced, then based, then checked`() throws {
        func set(_ rules: inout URLRules) throws {
            rules.replacements = try #require(URLReplacement.list("my://*/=${1}/x/;old=new"))
            rules.baseURL = "https://a.test/"
            rules.allowedSources = SourcePattern.list("https://a.test/img/, https://b.test/")
        }
        var rules = URLRules()
        try set(&rules)
        let url = try Reading.url("/_/plain/my://img/b.png", rules: rules)
        #expect(url.source == .http("https://a.test/img/x/b.png"))
        #expect(Reading.failure("/_/plain/my://other/b.png", rules: rules) == .forbiddenSource)
        let failure = URLFailure(.forbiddenSource, "")
        #expect(failure.status == 404 && failure.publicText == "Invalid source URL")
    }

    @Test(arguments: [
        "https://a.test/img/../b.png", "https://a.test/img/%2e%2e/b", "https://a.test/img/%252E%252e/b",
        "https://a.test/img/.%252e/b", "https://a.test/img/..%5Cb", "https://a.test/img/..",
    ])
    func `a URL's source can't leave what is allowed`(text: String) {
        #expect(
            failure("plain/\(text)") { $0.allowedSources = SourcePattern.list("https://a.test/img/") }
                == .forbiddenSource)
    }

    @Test func `a URL's source is allowed with dots elsewhere`() throws {
        func set(_ rules: inout URLRules) {
            rules.allowedSources = SourcePattern.list("https://a.test/")
        }
        for text in ["a..b/c.png", "...", "b%3Fx=../..", "b%3Fx=/../"] {
            _ = try source("plain/https://a.test/\(text)", set)
        }
    }
}
