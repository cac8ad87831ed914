import Testing

@testable import AlcedoServer

struct `Wildcards` {
    private func replaced(_ url: String, _ rules: String) throws -> String {
        try #require(URLReplacement.list(rules)).reduce(Array(url.utf8)) { try $1.applied(to: $0) }.text
    }

    @Test(arguments: [
        ("mys3://a/b", "mys3://=s3://bucket/", "s3://bucket/a/b"),
        ("mys3://a/b/c", "mys3://*/=s3://${1}-x/", "s3://a-x/b/c"),
        ("x/y/z", "*/*/=${2}/${1}/", "y/x/z"), ("abcabd/", "*ab*/=${1}|${2}", "abc|d"),
        ("xx/", "*/=${1}${1}${2}$${a}", "xxxx$${a}"),
        ("other", "mys3://=s3://", "other"), ("a/b", "*b=X", "a/b"), ("a", "a=b;b=c", "c"),
        ("a=b", "a=${0}", "${0}=b"),
        ("//x", "*/=${1}_", "_/x"), ("aaaa", "*a=X", "X"),
        ("http://h/p", "http://*/p=https://${1}/q", "https://h/q"),
    ])
    func `a wildcard matches all but slashes`(url: String, rules: String, wanted: String) throws {
        #expect(try replaced(url, rules) == wanted)
    }

    @Test(arguments: ["a", "=b", "a=b;c"]) func `a replacement needs a pattern and a text`(rules: String) {
        #expect(URLReplacement.list(rules) == nil)
    }

    @Test func `the list of wildcards may be empty`() {
        #expect(URLReplacement.list("")?.isEmpty == true)
        #expect(SourcePattern.list("").isEmpty && SourcePattern.list(" , ").isEmpty)
    }

    private func allows(_ patterns: String, _ url: String) -> Bool {
        SourcePattern.list(patterns).contains { $0.allows(Array(url.utf8)) }
    }

    @Test func `the pattern of a source is a prefix`() {
        #expect(allows("https://a.test/", "https://a.test/x/y.png"))
        #expect(!allows("https://a.test/", "https://a.test.b.test/"))
        #expect(!allows("https://a.test/", "http://a.test/"))
        #expect(allows("http://x/,https://*.a.test/", "https://c.d.a.test/y"))
        #expect(!allows("https://*.a.test/", "https://a.test/y"))
        #expect(allows("local://", "local:///x"))
        #expect(allows("https://a.test/*/public/", "https://a.test/u1/public/x"))
        #expect(!allows("https://a.test/*/public/", "https://a.test/u1/u2/public/x"))
    }

    @Test(arguments: ["?", "#", "\\", "/"]) func `a wildcard of a host ends with the host`(mark: String) {
        #expect(!allows("https://*.a.test/", "https://b.test\(mark).a.test/x"))
        #expect(!allows("https://*.a.test/", "https://\(mark)b.a.test/x"))
        #expect(!allows("*.a.test/", "https://b.test\(mark).a.test/x"))
    }

    @Test(arguments: ["%2F", "%2f", "%5C", "%5c", "%252F", "%25255c", "\\"])
    func `wildcards do not match encoded slashes, which a server may take for slashes`(slash: String) {
        #expect(!allows("https://a.test/*/public/", "https://a.test/u1\(slash)u2/public/x"))
        #expect(allows("https://a.test/*/public/", "https://a.test/u1/public/x\(slash)y"))
        #expect(allows("https://a.test/*/public/", "https://a.test/u%20%2e/public/x"))
    }

    @Test(arguments: [
        "@b.example/", ".b.example/", ":80@b.example/", "b/", ":80/", "%40b.example/",
    ])
    func `a pattern without wildcards names the whole host`(rest: String) {
        for pattern in ["https://a.test", "https://*.test"] {
            #expect(!allows(pattern, "https://a.test\(rest)"))
            #expect(allows(pattern, "https://a.test/x") && allows(pattern, "https://a.test"))
            #expect(allows(pattern, "https://a.test?x") && allows(pattern, "https://a.test#x"))
        }
        #expect(allows("https://", "https://a.test\(rest)"))
    }

    @Test(arguments: [
        ("my://@b.test/x", "my://=https://a.test", "https://a.test/@b.test/x"),
        ("my://.b.test/x", "my://=https://a.test", "https://a.test/.b.test/x"),
        ("my:///x", "my://=https://a.test", "https://a.test/x"),
        ("my://?x", "my://=https://a.test", "https://a.test?x"),
        ("my://b.test/x", "my://=https://", "https://b.test/x"),
        ("my://x", "my://=https://a.test/b", "https://a.test/bx"),
        ("my://u/x", "my://*/=https://${1}.test/", "https://u.test/x"),
        ("my://u:p@h/x", "my://*/=https://${1}/", "https://u:p@h/x"),
        ("my://a?b/x", "my://*/=https://h.test/${1}/", "https://h.test/a?b/x"),
    ])
    func `a replacement's wildcards leave the host to its text`(url: String, rules: String, wanted: String)
        throws
    {
        #expect(try replaced(url, rules) == wanted)
    }

    @Test(arguments: [
        ("my://b.test?/x", "my://*/=https://${1}.a.test/"),
        ("my://b.test#/x", "my://*/=https://${1}.a.test/"),
        ("my://b.test\\/x", "my://*/=https://${1}.a.test/"),
        ("my://@b.test/x", "my://*/=https://a.test${1}/"),
        ("my://u@b.test/x", "my://*/=https://a${1}/"),
    ])
    func `a replacement that would change its host is rejected`(url: String, rules: String) {
        #expect(throws: URLFailure.self) { try replaced(url, rules) }
    }

    @Test func `a wildcard takes no time to fail`() {
        let url = "https://" + String(repeating: "a", count: 50000)
        #expect(!allows("https://*a*a*a*a*a*a*b/", url))
        #expect(allows("https://*a*a*a*a*a*a", url))
    }

    /// Against a matcher that tries everything.
    @Test func `wildcards match what a slow matcher matches`() {
        let (star, slash) = (UInt8(ascii: "*"), UInt8(ascii: "/"))
        func slow(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Int? {
            guard let first = pattern.first else { return text.startIndex }
            if first != star {
                return first == text.first ? slow(pattern.dropFirst(), text.dropFirst()) : nil
            }
            let run = text.prefix { $0 != slash }.endIndex
            for end in stride(from: run, through: text.startIndex, by: -1) {
                if let length = slow(pattern.dropFirst(), text[end...]) { return length }
            }
            return nil
        }
        func words(_ letters: String, _ length: Int) -> [[UInt8]] {
            length == 0
                ? [[]] : words(letters, length - 1).flatMap { word in letters.utf8.map { word + [$0] } }
        }
        let texts = words("a/b", 5) + words("a/", 7)
        for bytes in (0...5).flatMap({ words("a/*", $0) }) {
            let pattern = WildcardPattern(String(decoding: bytes, as: UTF8.self))
            for text in texts {
                let found = pattern.match(text)?.length
                guard found != slow(bytes[...], text[...]) else { continue }
                let names = [bytes, text].map { String(decoding: $0, as: UTF8.self) }
                Issue.record("\(names[0]) on \(names[1]): \(found ?? -1)")
                return
            }
        }
    }
}
