import Foundation
import Testing

@testable import AlcedoTransport

struct `How long a response is fresh` {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// A response that arrived at `now`, and was requested two seconds before.
    private func stored(
        _ headers: (String, String)..., status: Int = 200,
        to change: (inout TransportRequest) -> Void = { _ in }
    ) -> StoredResponse? {
        let response = TransportResponse(
            url: URL(text: "http://x/"), status: status, headers: headers.map { (name: $0.0, value: $0.1) })
        return StoredResponse(
            TransferResult(response: response, body: Data([1])),
            to: TransportRequest(to: "http://x/", change),
            requested: now - 2, received: now)
    }

    private func lifetime(_ headers: (String, String)...) throws -> TimeInterval {
        let response = TransportResponse(
            url: URL(text: "http://x/"), status: 200, headers: headers.map { (name: $0.0, value: $0.1) })
        let stored = StoredResponse(
            TransferResult(response: response, body: Data([1])), to: TransportRequest(to: "http://x/"),
            requested: now, received: now)
        return Freshness.lifetime(of: try #require(stored))
    }

    private let date = ("Date", "Tue, 14 Nov 2023 22:13:20 GMT")

    @Test
    func `a response is fresh for max-age first, the smaller of two, and not for what is no number`() throws {
        #expect(try lifetime(("Cache-Control", "public, max-age=60"), ("Expires", "0"), date) == 60)
        #expect(try lifetime(("Cache-Control", "max-age=\"30\""), ("cache-control", "MAX-AGE=20")) == 20)
        #expect(
            try lifetime(("Cache-Control", "max-age=soon"), ("Expires", "Wed, 15 Nov 2023 22:13:20 GMT")) == 0
        )
        #expect(try lifetime(("Cache-Control", "s-maxage=60")) == 0)
    }

    @Test(arguments: [
        "Tue, 14 Nov 2023 22:14:20 GMT", "Tuesday, 14-Nov-23 22:14:20 GMT", "Tue Nov 14 22:14:20 2023",
    ])
    func `a response is fresh until Expires, in all of HTTP's ways to write a date`(expires: String) throws {
        #expect(try lifetime(("Expires", expires), date) == 60)
        #expect(try lifetime(("Expires", expires)) == 60)
    }

    @Test func `a response is not fresh if Expires is past or no date`() throws {
        #expect(try lifetime(("Expires", "Tue, 14 Nov 2023 22:00:00 GMT"), date) == 0)
        #expect(
            try lifetime(("Expires", "-1"), ("Last-Modified", "Tue, 14 Nov 2000 22:00:00 GMT"), date) == 0)
    }

    @Test func `a response without a lifetime is fresh for a tenth of the time without changes`() throws {
        #expect(try lifetime(("Last-Modified", "Tue, 14 Nov 2023 21:56:40 GMT"), date) == 100)
        #expect(try lifetime(("Last-Modified", "Wed, 15 Nov 2023 21:56:40 GMT"), date) == 0)
        #expect(try lifetime() == 0)
    }

    @Test
    func `a response without a lifetime is fresh for a day at most, and not at all for an invalid date`()
        throws
    {
        #expect(try lifetime(("Last-Modified", "Tue, 14 Nov 2000 22:00:00 GMT"), date) == 86_400)
        for date in ["Thu, 01 Jan 1970 00:00:00 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "1"] {
            #expect(try lifetime(("Last-Modified", date), self.date) == 0)
        }
    }

    @Test func `a response that came at a time in the future is not fresh`() throws {
        let request = TransportRequest(to: "http://x/")
        for headers in [[("Cache-Control", "max-age=60")], [("Cache-Control", "max-age=60"), date]] {
            let response = TransportResponse(
                url: URL(text: "http://x/"), status: 200, headers: headers.map { (name: $0.0, value: $0.1) })
            let ahead = try #require(
                StoredResponse(
                    TransferResult(response: response, body: Data([1])), to: request, requested: now,
                    received: now + 1e8))
            #expect(!Freshness.isFresh(ahead, for: request, at: now))
            #expect(!Freshness.isFresh(ahead, for: request, at: now + 5e7))
        }
    }

    @Test func `a response keeps its age though the clock was put back on its way`() throws {
        let response = TransportResponse(
            url: URL(text: "http://x/"), status: 200,
            headers: [("Age", "50"), ("Cache-Control", "max-age=60")])
        let stored = try #require(
            StoredResponse(
                TransferResult(response: response, body: Data([1])),
                to: TransportRequest(to: "http://x/"), requested: now + 1000, received: now))
        #expect(Freshness.age(of: stored, at: now) == 50)
    }

    @Test(arguments: ["-5", "inf", "nan", "0x10", "5s", ""])
    func `a response has no age that is no number`(age: String) throws {
        let response = try #require(stored(("Age", age), ("Cache-Control", "max-age=60")))
        #expect(Freshness.age(of: response, at: now) == 2)
    }

    @Test func `a response counts its age from the server, on its way and here`() throws {
        let fresh = try #require(stored(("Cache-Control", "max-age=60")))
        #expect(Freshness.age(of: fresh, at: now) == 2)
        let aged = try #require(stored(("Age", "50"), ("Cache-Control", "max-age=60")))
        #expect(Freshness.age(of: aged, at: now + 5) == 57)
        let request = TransportRequest(to: "http://x/")
        #expect(Freshness.isFresh(aged, for: request, at: now + 7))
        #expect(!Freshness.isFresh(aged, for: request, at: now + 8))
        let dated = try #require(stored(("Date", "Tue, 14 Nov 2023 22:12:20 GMT")))
        #expect(Freshness.age(of: dated, at: now) == 60)
    }

    @Test func `a response is always revalidated if either side demands it`() throws {
        let response = try #require(stored(("Cache-Control", "max-age=60")))
        func isFresh(_ value: String) -> Bool {
            let request = TransportRequest(to: "http://x/") { $0.headers = [("Cache-Control", value)] }
            return Freshness.isFresh(response, for: request, at: now)
        }
        #expect(isFresh("max-age=3"))
        #expect(!isFresh("max-age=2"))
        #expect(!isFresh("no-cache"))
        let checked = try #require(stored(("Cache-Control", "max-age=60, no-cache=\"set-cookie, x\"")))
        #expect(!Freshness.isFresh(checked, for: TransportRequest(to: "http://x/"), at: now))
    }

    @Test(arguments: [
        "private", "PRIVATE", "max-age=60,private", "max-age=60; private", "private; max-age=60", "private;",
        "\"private\"", "private=\"x-y\"", "x=\"a\"\u{301}, private", "public, private\t",
        "max-age=\"60, private",
        "private=\"a, public", "no-store", "no-store; no-cache", "x=\"a\\\"b\", private",
    ])
    func `a response for one user is found however its server writes that`(value: String) {
        #expect(CacheControl([("Cache-Control", value)]).forbidsSharing(isAuthenticated: false))
    }

    @Test(arguments: [
        "public", "max-age=60", "", "x=\"a, private, b\"", "xprivate", "max-age=60, no-storey", "x=private",
    ])
    func `responses that are not marked for one user are for all users`(value: String) {
        #expect(!CacheControl([("Cache-Control", value)]).forbidsSharing(isAuthenticated: false))
    }

    @Test func `a response that may not be stored has no freshness`() {
        #expect(stored(("Cache-Control", "private, no-store")) == nil)
        #expect(stored(("Vary", "*")) == nil)
        #expect(stored(status: 206) == nil)
        #expect(stored(status: 500) == nil)
        for status in [204, 300, 301, 308, 404, 405, 410, 414, 501] { #expect(stored(status: status) == nil) }
        #expect(stored(status: 203) != nil)
        #expect(stored(to: { $0.credential = TransportCredential(user: "a", password: "b") }) == nil)
        #expect(
            stored(
                ("Cache-Control", "public"),
                to: { $0.credential = TransportCredential(user: "a", password: "b") }) != nil)
        #expect(
            stored(
                ("Cache-Control", "private, must-revalidate"),
                to: { $0.headers = [("Authorization", "Bearer x")] }) == nil)
        #expect(stored(("Cache-Control", "private, max-age=60")) != nil)
        #expect(stored(to: { $0.url = URL(text: "http://anna:secret@x/") }) == nil)
        #expect(stored(("Vary", "Cookie"), to: { $0.cookies = CookieJar() }) == nil)
        #expect(stored(("Vary", "Cookie")) != nil)
        #expect(stored(("Vary", "Cookie"), to: { $0.headers = [("Cookie", "a=b")] }) == nil)
        #expect(
            stored(
                ("Vary", "Authorization"), ("Cache-Control", "public"),
                to: { $0.headers = [("Authorization", "Bearer x")] }) == nil)
        #expect(
            stored(
                ("Vary", "Authorization"), ("Cache-Control", "public"),
                to: { $0.credential = TransportCredential(user: "a", password: "b") }) == nil)
    }

    @Test func `a stored response leaves out what is for one connection, or one user`() throws {
        let kept = try #require(
            stored(
                ("Connection", "keep-alive, X-Hop"), ("X-Hop", "1"), ("Keep-Alive", "timeout=5"),
                ("Set-Cookie", "a=b"), ("Proxy-Authenticate", "Basic"), ("Transfer-Encoding", "chunked"),
                ("ETag", "\"1\"")))
        #expect(kept.headers.map(\.name) == ["ETag"])
        let confirmation = TransportResponse(
            url: URL(text: "http://x/"), status: 304, headers: [("Set-Cookie", "c=d"), ("X", "y")])
        let new = try #require(kept.revalidated(by: confirmation, requested: now, received: now))
        #expect(new.headers.map(\.name) == ["ETag", "X"])
    }

    @Test func `a response is fresh anew once the server confirms it, unless that names another`() throws {
        let old = try #require(
            stored(("ETag", "W/\"1\""), ("Content-Length", "1"), ("Cache-Control", "max-age=1"), ("X", "a")))
        #expect(old.conditions.map(\.name) == ["If-None-Match"])
        let confirmation = TransportResponse(
            url: URL(text: "http://x/"), status: 304,
            headers: [("ETag", "\"1\""), ("Cache-Control", "max-age=90"), ("Content-Length", "0")])
        let new = try #require(old.revalidated(by: confirmation, requested: now + 10, received: now + 10))
        #expect(Freshness.lifetime(of: new) == 90)
        #expect(new.value("content-length") == "1")
        #expect(new.value("x") == "a")
        #expect(new.status == 200)
        let aged = try #require(stored(("Age", "500"), ("Date", "Mon, 13 Nov 2023 22:13:20 GMT")))
        let renewed = try #require(aged.revalidated(by: confirmation, requested: now, received: now))
        #expect(Freshness.age(of: renewed, at: now + 1) == 1)
        let other = TransportResponse(url: URL(text: "http://x/"), status: 304, headers: [("ETag", "\"2\"")])
        #expect(old.revalidated(by: other, requested: now, received: now) == nil)
    }
}
