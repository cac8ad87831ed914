import Foundation
import Testing

@testable import AlcedoTransport

struct `Redirect rules` {
    private let request = TransportRequest(to: "https://a.test/dir/sub/x?q") {
        $0.headers = [
            ("Accept", "image/*"), ("Authorization", "secret"), ("cookie", "secret"), ("Host", "a"),
            ("Proxy-Authorization", "secret"), ("Content-Type", "text/plain"),
        ]
        $0.credential = TransportCredential(user: "u", password: "p")
        $0.verifiesServer = false
    }

    private func next(
        _ status: Int, to location: String?, method: String = "GET", followed: Int = 0
    ) throws -> TransportRequest? {
        var request = request
        request.method = method
        request.body = method == "GET" ? nil : Data([1])
        let headers = location.map { [(name: "location", value: $0)] } ?? []
        let response = TransportResponse(url: request.url, status: status, headers: headers)
        return try RedirectPolicy.request(
            after: response, to: request, at: WebURL(request.address), followed: followed)
    }

    @Test(arguments: [
        ("ok", "https://a.test/dir/sub/ok"), ("../ok", "https://a.test/dir/ok"),
        ("../../../ok", "https://a.test/ok"), ("/ok", "https://a.test/ok"),
        ("./ok?a=b", "https://a.test/dir/sub/ok?a=b"),
        ("?p", "https://a.test/dir/sub/x?p"), ("//b.test/ok", "https://b.test/ok"),
        ("https://b.test:8443/a b", "https://b.test:8443/a%20b"), ("/Köln", "https://a.test/K%c3%b6ln"),
    ])
    func `a Location is resolved against the URL`(location: String, target: String) throws {
        #expect(try next(302, to: location)?.address == target)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 404])
    func `statuses that are no redirect lead nowhere`(status: Int) throws {
        #expect(try next(status, to: "/ok") == nil)
    }

    @Test func `a redirect without a Location leads nowhere`() throws {
        #expect(try next(302, to: nil) == nil)
        #expect(try next(302, to: "") == nil)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"), (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"),
    ])
    func `the status of a redirect decides what becomes of the method and the body`(
        status: Int, method: String, then: String
    ) throws {
        let next = try #require(try next(status, to: "/ok", method: method))
        #expect(next.method == then)
        #expect((next.body == nil) == (then == "GET"))
        #expect(next.headers.contains { $0.name == "Content-Type" } == (then != "GET"))
    }

    @Test(arguments: ["https://b.test/", "https://a.test:444/", "https://sub.a.test/"])
    func `a redirect to another origin gets no credentials and must prove itself`(target: String) throws {
        let next = try #require(try next(302, to: target))
        #expect(next.headers.map(\.name) == ["Accept", "Content-Type"])
        #expect(next.credential == nil)
        #expect(next.verifiesServer)
    }

    @Test(arguments: ["/ok", "https://A.test:443/ok"])
    func `a redirect to the same origin gets the credentials again`(target: String) throws {
        let next = try #require(try next(302, to: target))
        #expect(next.headers.count == request.headers.count)
        #expect(next.credential != nil)
        #expect(!next.verifiesServer)
    }

    @Test(arguments: [
        "http://a.test/", "file:///etc/passwd", "data:,x", "javascript:alert(1)", "ftp://a.test/", "//%00/x",
        "https://[::1/x", "https://a:b/x", "https://ho\u{1}st/", "//%e",
        "https://%2561.test/",
    ])
    func `redirects to plain HTTP, other schemes and invalid hosts are rejected`(target: String) throws {
        let error = #expect(throws: TransportError.self) { try next(302, to: target) }
        guard case .rejectedRedirect = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["/ok", "https://b.test/"])
    func `the address policy stays for redirects`(target: String) throws {
        var request = request
        request.addressPolicy = .publicOnly
        let response = TransportResponse(
            url: request.url, status: 302, headers: [(name: "Location", value: target)])
        let next = try RedirectPolicy.request(
            after: response, to: request, at: WebURL(request.address), followed: 0)
        #expect(next?.addressPolicy == .publicOnly)
    }

    @Test func `the number of redirects is limited`() throws {
        #expect(try next(302, to: "/ok", followed: 9) != nil)
        #expect(throws: TransportError.tooManyRedirects(limit: 10, url: request.address)) {
            try next(302, to: "/ok", followed: 10)
        }
    }
}
