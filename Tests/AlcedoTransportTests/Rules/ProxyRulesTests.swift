import Testing

@testable import AlcedoTransport

struct `A 407` {
    @Test(arguments: [
        ("http://birds.test/", [], true),
        ("https://birds.test/", [], false),
        ("http://birds.test/", ["birds.test"], false),
        ("http://www.BIRDS.test/", [".Birds.test"], false),
        ("http://seabirds.test/", ["birds.test"], true),
        ("http://birds.test/", ["*"], false),
    ])
    func `counts where a proxy was asked`(url: String, bypassed: [String], counts: Bool) throws {
        let server = ProxyServer(.http, host: "p", port: 1) { $0.bypassedHosts = bypassed }
        #expect(try TransportProxy.server(server).mayAnswer(for: WebURL(url)) == counts)
        #expect(try !TransportProxy.none.mayAnswer(for: WebURL(url)))
    }

    @Test func `counts for nothing with SOCKS, which cannot say it`() throws {
        let server = ProxyServer(.socks5, host: "p", port: 1)
        #expect(try !TransportProxy.server(server).mayAnswer(for: WebURL("http://birds.test/")))
    }
}
