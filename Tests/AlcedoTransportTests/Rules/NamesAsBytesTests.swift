import Testing

@testable import AlcedoTransport

/// What decides about hosts and credentials compares bytes: Swift finds texts equal that are two names, and
/// joins separators with marks that follow them.
struct `Names of servers` {
    @Test func `names of servers are equal only if their bytes are`() throws {
        let composed = try WebURL("https://r\u{e9}.test/")
        let decomposed = try WebURL("https://re\u{301}.test/")
        #expect(composed.origin == decomposed.origin)
        #expect(!composed.isSameOrigin(as: decomposed) && composed.isSameOrigin(as: composed))
    }

    @Test(arguments: ["http://\u{600}%zz.test/", "http://a%\u{301}61.test/"])
    func `names of servers have no percent sign, whatever is beside it`(url: String) {
        #expect(throws: TransportError.self) { try WebURL(url) }
    }

    @Test func `names of proxies are shown without passwords`() {
        for text in ["http://me:pw@h.test:80/", "me:p@w@h.test:80", "http://me:pw\u{600}@h.test:80"] {
            #expect(TransportProxy.displayText(text).hasSuffix("h.test:80"), "\(text)")
            #expect(!TransportProxy.displayText(text).contains("pw"))
        }
    }

    @Test(arguments: [
        ("https://me:pw@h.test/", true), ("https://me@h.test", true), ("https://h.test/@a", false),
        ("https://h.test?@a", false), ("https://h.test/", false),
    ])
    func `names of proxies may have credentials in front`(url: String, isAuthenticated: Bool) {
        #expect(TransportRequest(to: url).isAuthenticated == isAuthenticated)
    }
}
