import Testing

@testable import AlcedoServer

struct `The path of a request` {
    private let picture = ImageSource.http("http://a.test/b.png")

    @Test(arguments: [
        "", "/", "//", "///", "/unsafe", "/unsafe/", "//w:1/plain/http://a.test/b.png",
        "unsafe/plain/http://a.test/b",
        "?", "/?a", "/unsafe/?plain/http://a.test/b", "/unsafe//", "/unsafe/w:1", "/unsafe/w:1/",
        "/unsafe/plain",
        "/unsafe/plain/", "/unsafe/plain/@png", "/unsafe/w:1/plain/",
    ])
    func `a request's path needs a signature and a source`(target: String) {
        #expect(Reading.failure(target) == .invalidURL)
    }

    @Test func `a request's path ends at the question mark`() throws {
        #expect(try Reading.url("/_/plain/http://a.test/b.png?x=/plain/@webp").source == picture)
        #expect(
            try Reading.url("/_/plain/http://a.test/b.png%3Fx=1").source
                == .http("http://a.test/b.png?x=1"))
    }

    @Test(arguments: ["/img", "/img/", "img", "//img//"]) func `a request's path may have a prefix`(
        prefix: String
    ) throws {
        var rules = URLRules()
        rules.pathPrefix = prefix
        #expect(try Reading.url("/img/_/plain/http://a.test/b.png", rules: rules).source == picture)
        for target in [
            "/_/plain/http://a.test/b.png", "/imgs/_/plain/http://a.test/b.png", "/im", "/img",
            "img/_/w:1/x",
        ] {
            #expect(Reading.failure(target, rules: rules) == .invalidURL)
        }
    }

    @Test(arguments: [
        "/_/w%3A5/plain/http://a.test/b.png", "/_/rs%3Afit%3A5/plain/http:/a.test/b.png",
        "/_/w:5/aHR0cDovL2EudGVzdC9iLnBuZw", "/_/w%3a5/aHR0cDovL2EudGVzdC9iLnBuZw",
        "/_/w:5/plain/http:/a.test/b.png",
        "/_/w:5/plain/http%3A%2F%2Fa.test%2Fb.png",
    ])
    func `a request's path is mended`(target: String) throws {
        let url = try Reading.url(target)
        #expect(url.source == picture && url.options.width == 5)
    }

    @Test func `a request's path is mended at the scheme only`() throws {
        #expect(try Reading.url("/_/plain/http://a.test/x:/b%3A").source == .http("http://a.test/x:/b:"))
        #expect(try Reading.url("/_/plain/local:/a/b.png").source == .local(path: "/a/b.png"))
        #expect(try Reading.url("/_/plain/local:///a/b.png").source == .local(path: "/a/b.png"))
        #expect(Reading.failure("/_/plain/http:///b") == .forbiddenSource)
    }

    @Test func `a request's path is mended before the signature is checked`() throws {
        let vector = SignedPath.all[1]
        let broken = vector.path.replacing("rs:fit:300:300", with: "rs%3Afit%3A300%3A300").replacing(
            "://", with: ":/")
        #expect(broken != vector.path)
        _ = try Reading.url("/\(vector.signature)\(broken)", rules: vector.rules)
        let local = SignedPath.all[4]
        _ = try Reading.url("/\(local.signature)/plain/local:/logos/x.png", rules: local.rules)
    }

    @Test(arguments: ["fit", "fill", "fill-down", "force", "auto"])
    func `a request's path of version 2 is rejected`(
        type: String
    ) {
        #expect(Reading.failure("/_/\(type)/300/200/sm/0/plain/http://a.test/b.png") == .invalidURL)
        #expect(Reading.failure("/_/\(type)/300/200/sm/0/aHR0cDovL2EudGVzdC9iLnBuZw.png") == .invalidURL)
    }

    @Test(arguments: [
        "enc/aHR0cDovL2EudGVzdC9i", "enc/abc.png", "-/w:1/plain/http://a.test/b",
        "w:1/-/w:2/plain/http://a.test/b",
        "w:1/enc/abcdefgh",
    ])
    func `a request's path with options of Pro is rejected`(path: String) {
        #expect(Reading.failure("/_/\(path)") == .invalidURL)
    }
}
