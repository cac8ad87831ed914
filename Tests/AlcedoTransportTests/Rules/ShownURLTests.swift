import AlcedoTransport
import Testing

struct `Texts of errors` {
    @Test(arguments: [
        ("http://user:pw@birds.test/a.png", "http://…@birds.test/a.png"),
        ("http://user@birds.test/a.png", "http://…@birds.test/a.png"),
        ("https://p@ss:w@rd@birds.test/?w=1", "https://…@birds.test/?w=1"),
        ("http://user:p/w@birds.test/", "http://…@birds.test/"),
        ("http://user:p?w#d@birds.test/", "http://…@birds.test/"),
        ("http://us er:pw@birds.test/", "http://…@birds.test/"),
        ("https://x.test/fetch/https://user:pw@birds.test/", "https://x.test/fetch/https://…@birds.test/"),
        ("//user:pw@birds.test/", "//…@birds.test/"),
        // Forms that URL parsers repair, and some that none accepts.
        ("https:/user:pw@birds.test/", "https:/…@birds.test/"),
        ("https:///user:pw@birds.test/", "https:///…@birds.test/"),
        ("https:\\\\user:pw@birds.test/", "https:\\\\…@birds.test/"),
        ("https:user:pw@birds.test/", "…@birds.test/"), ("user:pw@birds.test/a", "…@birds.test/a"),
        ("https://user:pw%40birds.test/", "https://…@birds.test/"),
        ("https://user:pw%252540birds.test/", "https://…@birds.test/"),
        ("https://x.test/fetch/https:/user:pw@birds.test/", "https://x.test/fetch/https:/…@birds.test/"),
        ("https://user:p\u{600}@\u{301}birds.test/", "https://…@\u{301}birds.test/"),
        ("https://user:secret", "https://user:…"),
    ])
    func `texts of errors show no user name and no password`(url: String, shown: String) {
        for error in errors(url) { #expect(error.description.contains(shown)) }
    }

    @Test(arguments: [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F1&X-Amz-Signature=00ff", "Signature=a~b",
        "Policy=abc&Key-Pair-Id=K2", "sv=2022-11-02&sp=r&se=2026-01-01&sig=abc%3D", "token=abc",
        "X-Goog-Signature=12", "access_token=1", "w=1&api_key=2", "hdnts=exp=1~acl=/*~hmac=ff", "HMAC=12",
        "w=100&s=0123456789abcdef0123456789abcdef", "a=1;auth=2", "%74oken=1", "u=https://me:pw@x.test/",
        "u=https%3A%2F%2Fme%3Apw%40x.test", "client_secret=1", "password=1", "jwt=1", "session=2",
        "a=1&\u{301}token=2", "a=1&\u{FF9E}sig=2", "u=%2525%34%30", "%252574oken=1", "a=1;\u{600}key=b",
    ])
    func `texts of errors show no query that is signed`(query: String) {
        for mark in ["?", "#"] {
            for error in errors("https://birds.test/a.png\(mark)\(query)") {
                #expect(error.description.contains("https://birds.test/a.png\(mark)…"))
                #expect(!error.description.contains(query))
            }
        }
    }

    @Test(arguments: [
        "https://birds.test/a.png?w=300&h=200&fm=webp&v=1700000000", "https://birds.test/@wren/a.png?dpr=2",
        "http://[::1]:8080/?id=5f2b9c1e-7a44-4c1b-9d3e-0a1b2c3d4e5f#top", "http://127.0.0.1:1/x#a",
        "https://birds.test/wren@2x.png", "https://birds.test:8443/a@b/c@2x.png",
        "file:///home/me@work/a@2x.png",
        "local:///me@work/a.png", "https://birds.test/a%40b.png",
    ])
    func `texts of errors show all other URLs as they are`(url: String) {
        for error in errors(url) { #expect(error.description.contains(url)) }
    }

    @Test func `texts of errors know whether something was left out`() {
        #expect(
            ShownURL("https://birds.test/a.png?w=1").isWhole && ShownURL("data:image/png;base64,a@b").isWhole)
        #expect(
            !ShownURL("https://me@birds.test/").isWhole && !ShownURL("https://birds.test/?token=1").isWhole)
    }

    /// Errors that have `url` where errors have URLs.
    private func errors(_ url: String) -> [TransportError] {
        [
            .connectionLost(reason: "x", url: url), .invalidURL(url, reason: "x"),
            .rejectedRedirect(to: url, reason: "x", url: "http://x.test/"),
            .other(code: 1, reason: "x", url: url),
        ]
    }

    @Test func `texts of errors show no secrets of URLs in reasons`() {
        let reason = "Unsupported proxy syntax in 'http://user:pw@h:99999' (https://x.test/?token=1)"
        let text = TransportError.cannotConnect(reason: reason, url: "http://x.test/").description
        #expect(!text.contains("pw") && !text.contains("token"))
        #expect(text.contains("'http://…@h:99999' (https://x.test/?…)"))
    }

    @Test(arguments: [
        ("could not read https:/user:pw@h/a, sorry", "could not read https:/…@h/a, sorry"),
        ("not “user:pw@h”.", "not “…@h”."),
        ("a=https://u:p@h/;b=http:/u:p@h/", "a=https://…@h/;b=http:/…@h/"),
        ("at 12:30, me@h wrote w:100/q:80", "at 12:30, me@h wrote w:100/q:80"),
        ("(https://h/?token=1)\u{301}", "(https://h/?…"),
    ])
    func `texts of errors show no secrets of URLs within texts`(text: String, shown: String) {
        #expect(text.redactingURLs == shown)
    }

    @Test func `texts of errors show nothing of a URL that is cut off`() {
        let long = String(repeating: "x", count: 400)
        let text = TransportError.rejected(url: "http://\(long):\(long)@birds.test/").description
        #expect(text.contains("http://…@birds.test/"))
        #expect(!text.contains("xxx"))
    }
}
