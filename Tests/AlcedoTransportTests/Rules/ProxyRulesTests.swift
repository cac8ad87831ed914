import Testing

@testable import AlcedoTransport

struct `A proxy's address` {
    @Test(arguments: [
        ("http://birds.test:8080", "birds.test", 8080), ("birds.test", "birds.test", 1080),
        ("socks5h://u:p@birds.test:9/", "birds.test", 9), ("u:p@[::1]:3128", "::1", 3128),
        ("[::1]", "::1", 1080), ("http://birds.test:port", "birds.test:port", 1080),
        ("http://birds.test", "birds.test", 1080), ("https://birds.test", "birds.test", 443),
        ("HTTPS://u:p@[::1]/", "::1", 443), ("https://birds.test:1080", "birds.test", 1080),
        ("socks5://birds.test", "birds.test", 1080), ("http://birds.test:", "birds.test", 1080),
        ("https://[::1]:/", "::1", 443),
    ])
    func `a proxy's address is read without scheme and user info`(text: String, host: String, port: Int) {
        #expect(TransportProxy.endpoint(of: text) == (host, port))
    }
}

struct `A 407` {
    @Test(arguments: [
        ("http://birds.test/", [], true),
        ("https://birds.test/", [], false),
        ("http://birds.test/", ["birds.test"], false),
        ("http://www.BIRDS.test/", [".Birds.test"], false),
        ("http://seabirds.test/", ["birds.test"], true),
        ("http://birds.test/", ["*"], false),
    ])
    func `a 407 counts where a proxy was asked`(url: String, bypassed: [String], counts: Bool) throws {
        let server = ProxyServer(.http, host: "p", port: 1) { $0.bypassedHosts = bypassed }
        #expect(server == ProxyServer(.http, host: "p", port: 1, bypassedHosts: bypassed))
        #expect(try TransportProxy.server(server).mayChallenge(for: WebURL(url)) == counts)
        #expect(try !TransportProxy.none.mayChallenge(for: WebURL(url)))
    }

    @Test func `a 407 counts for nothing with SOCKS, which cannot say it`() throws {
        let server = ProxyServer(.socks5, host: "p", port: 1)
        #expect(try !TransportProxy.server(server).mayChallenge(for: WebURL("http://birds.test/")))
        // Those of the environment, which are texts.
        for text in ["socks4://p", "socks4a://p", "socks5://p", "SOCKS5H://p:1"] {
            #expect(!TransportProxy.speaksHTTP(text), "\(text)")
        }
        for text in ["p", "socks:1", "http://socks5", "HTTPS://p"] {
            #expect(TransportProxy.speaksHTTP(text), "\(text)")
        }
    }
}
