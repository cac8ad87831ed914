import Testing

@testable import AlcedoServer

struct `An object's URL` {
    private static func rules(_ change: (inout URLRules) -> Void = { _ in }) -> URLRules {
        var rules = URLRules()
        for scheme in ObjectAddress.Scheme.allCases { rules.buckets[scheme] = BucketRules() }
        change(&rules)
        return rules
    }

    private func text(_ source: String, _ change: (inout URLRules) -> Void = { _ in }) throws(URLFailure)
        -> String?
    {
        let url = try Reading.url("/_/plain/\(source)", rules: Self.rules(change))
        guard case .object(let object) = url.source else { return nil }
        return object.text
    }

    private func failure(_ source: String, _ change: (inout URLRules) -> Void = { _ in }) -> URLFailure.Kind?
    {
        Reading.failure("/_/plain/\(source)", rules: Self.rules(change))
    }

    @Test(arguments: [
        ("s3://b/a.png", "s3://b/a.png"), ("S3://My_Bucket.1/a/b", "s3://My_Bucket.1/a/b"),
        ("s3://b/a%20b+c", "s3://b/a%20b%2Bc"), ("s3://b/a%2520b", "s3://b/a%20b"),
        ("s3://b/a%252Fb", "s3://b/a/b"), ("s3://b/%C3%BC", "s3://b/%C3%BC"),
        ("s3://b//a//b/", "s3://b//a//b/"),
        ("s3://b/100%25", "s3://b/100%25"), ("s3://b/a%23b", "s3://b/a%23b"), ("s3://b/..a", "s3://b/..a"),
        ("s3://b/a%3Fv1", "s3://b/a?v1"), ("s3://b/a%3FversionId=v/1", "s3://b/a?v%2F1"),
        ("s3://b/a%3F", "s3://b/a"),
        ("gs://b/a%3Fgeneration=1", "gs://b/a?1"), ("abs://$web/a%20b", "abs://$web/a%20b"),
        ("abs://b/a%3Fversionid=2026-11-30T12:00:00Z", "abs://b/a?2026-11-30T12%3A00%3A00Z"),
        ("Swift://b/a/b%3Fversion-id=1", "swift://b/a/b?1"), ("s3://b/a%253Fv1", "s3://b/a%3Fv1"),
    ])
    func `an object's URL has a bucket, a key and perhaps a version`(source: String, wanted: String) throws {
        #expect(try text(source) == wanted)
        // The text is a URL of the same object.
        #expect(try text(wanted.replacing("%", with: "%25").replacing("?", with: "%3F")) == wanted)
    }

    @Test(arguments: [
        "s3://", "s3:///a", "s3://b", "s3://b/", "s3://b%3Fa/c", "s3://b%40c.test/a", "s3://u:p%40b/a",
        "s3://b:80/a",
        "s3://b%252Fc/a", "s3://.b/a", "s3://b%5Cc/a", "s3://%C3%BC/a", "s3://b/../a", "s3://b/a/%2E%2E",
        "s3://b/%252e%252e/a", "s3://b/./a", "s3://b/a%252F..%252Fb", "s3://b/%FF", "s3://b/a%2500",
        "s3://b/a%250A", "s3://$web/a", "abs://$x/a", "swift://$web/a", "abs://b", "swift://b%2520c/a",
    ])
    func `an object's URL names one object, and no host`(source: String) {
        #expect(failure(source) == .forbiddenSource)
    }

    @Test func `an object's URL needs a store and a bucket that URLs may use`() {
        #expect(failure("s3://b/a") { $0.buckets[.s3] = nil } == .unsupportedScheme)
        #expect(failure("gs://b/a") { $0.buckets[.s3] = nil } == nil)
        func limited(_ rules: inout URLRules) {
            rules.buckets[.s3]?.allowed = ["a", "b"]
            rules.buckets[.s3]?.denied = ["b"]
        }
        #expect(failure("s3://a/x", limited) == nil)
        for bucket in ["b", "c", "A"] { #expect(failure("s3://\(bucket)/x", limited) == .forbiddenSource) }
    }

    @Test(arguments: [
        ("s3://img/public/a", true), ("s3://img/private/a", false), ("s3://img2/public/a", false),
        ("S3://img/public/a", true), ("s3://img/%70ublic/a", true), ("s3://img/x%252Fpublic/a", false),
        ("s3://all/a", true), ("s3://all-of/a", false), ("s3://users/x/p/a", true),
        ("s3://users/x%252Fy/p/a", false), ("abs://img/public/a%252Fb", true), ("swift://x/y/p/a", true),
        ("swift://x/y%252Fz/p/a", false),
    ])
    func `an object's URL is allowed as the object that is loaded`(source: String, isAllowed: Bool) {
        let kind = failure(source) {
            $0.allowedSources = SourcePattern.list(
                "s3://img/public/,s3://all,s3://users/*/p/,abs://img/public,swift://x/*/p/")
        }
        #expect(kind == (isAllowed ? nil : .forbiddenSource))
    }

    @Test func `an object's URL may be what follows the base URL`() throws {
        let replacements = try #require(URLReplacement.list("my://=s3://"))
        #expect(try text("b/c.png") { $0.baseURL = "s3://bucket/a/" } == "s3://bucket/a/b/c.png")
        #expect(try text("b.png") { $0.baseURL = "s3://bucket" } == "s3://bucket/b.png")
        #expect(failure("../b.png") { $0.baseURL = "s3://bucket/a/" } == .forbiddenSource)
        #expect(
            try text("my://x/b") { $0.replacements = replacements } == "s3://x/b")
    }

    @Test func `an object's URL names the file of the response`() throws {
        let url = try Reading.url("/_/plain/s3://b/x/my%2520cat.jpeg%3Fv.1", rules: Self.rules())
        #expect(FileName.stem(of: url.source) == "my cat" && FileName.fileExtension(of: url.source) == "jpeg")
        #expect(url.source.origin == "s3://b/")
    }
}
