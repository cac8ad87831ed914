import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `A container of Swift` {
    private let png: [UInt8]
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws { png = try Bitmap.coordinates(40, 30).encoded(as: .png) }

    private func account(_ version: SwiftAccount.Version, _ server: LoopbackServer) throws -> SwiftAccount {
        let paths: [SwiftAccount.Version: String] = [.v1: "/auth/v1.0", .v2: "/v2.0", .v3: "/v3/"]
        return SwiftAccount(
            version: version, address: try #require(.init(server.address(paths[version] ?? ""))),
            user: "test:tester", key: "hunter2", limits: .init(connect: .seconds(600), data: .seconds(600)))
    }

    private func bucket(_ version: SwiftAccount.Version) throws -> BucketOrigin {
        try BucketOrigin(.swift, { SwiftStore(try account(version, $0)) }) { [start] in
            // Keystone's tokens name the time when they expire.
            if version != .v1 { $0.engine = ServerEngine(now: { start }) }
        }
    }

    /// The response with a token that expires an hour after the start, for a container at `place`.
    private func token(_ version: SwiftAccount.Version, _ token: String, _ place: String) -> Reply {
        let json: String
        switch version {
        case .v1:
            return Reply(
                headers: [
                    ("X-Auth-Token", token), ("X-Storage-Url", place), ("X-Auth-Token-Expires", "3600"),
                ])
        case .v2:
            json = """
                {"access": {"token": {"id": "\(token)", "expires": "2023-11-14T23:13:20Z"}, "serviceCatalog": [
                {"type": "image", "endpoints": [{"publicURL": "http://127.0.0.1:1"}]},
                {"type": "object-store", "endpoints": [{"publicURL": "\(place)", "internalURL": "http://127.0.0.1:1"}]}
                ]}}
                """
            return Reply(body: Array(json.utf8))
        case .v3:
            json = """
                {"token": {"expires_at": "2023-11-14T23:13:20.123456Z", "catalog": [
                {"type": "image", "endpoints": [{"interface": "public", "url": "http://127.0.0.1:1"}]},
                {"type": "object-store", "endpoints": [{"interface": "internal", "url": "http://127.0.0.1:1"},
                {"interface": "public", "url": "\(place)", "region": "a"}]}]}}
                """
            return Reply(status: 201, body: Array(json.utf8), headers: [("X-Subject-Token", token)])
        }
    }

    private func path(_ version: SwiftAccount.Version) -> String {
        switch version {
        case .v1: "/auth/v1.0"
        case .v2: "/v2.0/tokens"
        case .v3: "/v3/auth/tokens"
        }
    }

    /// Has `server` give tokens, of which the last is repeated, and the first is not valid after `isRevoked`.
    private func serve(
        _ server: LoopbackServer, _ version: SwiftAccount.Version, isRevoked: OnceFlag = OnceFlag()
    ) {
        let place = server.address("/v1/AUTH_test")
        server.serve(path(version), token(version, "t1", place), token(version, "t2", place))
        for name in ["a", "b", "c", "d", "e", "f"] {
            server.route("/v1/AUTH_test/img/\(name).png") { [png] request in
                let token = isRevoked.value ? "t2" : "t1"
                guard request.header("X-Auth-Token") == token else { return .status(401) }
                return Reply(body: png, headers: [("ETag", "1")])
            }
        }
    }

    @Test(arguments: [SwiftAccount.Version.v1, .v2, .v3])
    func `a container of Swift has sources, and one token for all`(version: SwiftAccount.Version) async throws
    {
        let bucket = try bucket(version)
        serve(bucket.server, version)
        await withTaskGroup(of: ServerResponse.self) { group in
            for name in ["a", "b", "c", "d", "e", "f"] {
                group.addTask { await bucket.get("w:20", "img/\(name).png") }
            }
            for await response in group {
                #expect(response.status == 200 && response.size?.width == 20, "\(response.reason ?? "")")
                #expect(response.header("Cache-Control")?.contains("public") == true)
            }
        }
        #expect(bucket.server.requestCount(path: path(version)) == 1 && bucket.server.requestCount() == 7)
    }

    @Test func `a container of Swift is asked with the user, the project and the domain`() async throws {
        let server = try LoopbackServer()
        func sent(_ version: SwiftAccount.Version, tenant: String, domain: String) async throws
            -> ReceivedRequest
        {
            var account = try account(version, server)
            (account.tenant, account.domain) = (tenant, domain)
            _ = await TemporaryCredential(account).current(by: CurlTransport(), at: start)
            return try #require(server.requests().last)
        }
        func isEqual(_ request: ReceivedRequest, _ json: String) throws -> Bool {
            let objects = try [Data(request.body), Data(json.utf8)].map {
                try #require(JSONSerialization.jsonObject(with: $0) as? NSDictionary)
            }
            return objects[0] == objects[1] && request.method == "POST"
                && request.header("Content-Type") == "application/json"
        }
        let first = try await sent(.v1, tenant: "", domain: "")
        #expect(first.method == "GET" && first.target == "/auth/v1.0")
        #expect(first.header("X-Auth-User") == "test:tester" && first.header("X-Auth-Key") == "hunter2")
        let credentials = #"{"username": "test:tester", "password": "hunter2"}"#
        let second = try await sent(.v2, tenant: "p", domain: "")
        #expect(second.target == "/v2.0/tokens")
        #expect(
            try isEqual(second, #"{"auth": {"passwordCredentials": \#(credentials), "tenantName": "p"}}"#))
        func identity(_ domain: String) -> String {
            #""identity": {"methods": ["password"], "password": {"user": "#
                + #"{"name": "test:tester", "password": "hunter2", "domain": \#(domain)}}}"#
        }
        let own = try await sent(.v3, tenant: "", domain: "")
        #expect(own.target == "/v3/auth/tokens")
        #expect(try isEqual(own, #"{"auth": {\#(identity(#"{"id": "default"}"#))}}"#))
        let scope = #""scope": {"project": {"name": "p", "domain": {"name": "d"}}}"#
        let scoped = try await sent(.v3, tenant: "p", domain: "d")
        #expect(try isEqual(scoped, #"{"auth": {\#(identity(#"{"name": "d"}"#)), \#(scope)}}"#))
    }

    @Test func `a container of Swift that rejects the token gets another one, once for all requests`()
        async throws
    {
        let (bucket, isRevoked) = (try bucket(.v3), OnceFlag())
        serve(bucket.server, .v3, isRevoked: isRevoked)
        #expect(await bucket.get("w:20", "img/a.png").status == 200)
        _ = isRevoked.set()
        await withTaskGroup(of: Int.self) { group in
            for name in ["b", "c", "d", "e", "f"] {
                group.addTask { await bucket.get("w:20", "img/\(name).png").status }
            }
            for await status in group { #expect(status == 200) }
        }
        #expect(bucket.server.requestCount(path: path(.v3)) == 2)
        bucket.server.serve("/v1/AUTH_test/img/g.png", .status(401))
        let denied = await bucket.get("w:20", "img/g.png")
        #expect(denied.status == 401 && denied.reason == "the origin responded with 401: swift://img/g.png")
        #expect(bucket.server.requestCount(path: "/v1/AUTH_test/img/g.png") == 2)
    }

    @Test(arguments: [SwiftAccount.Version.v1, .v2, .v3])
    func `a container of Swift has another token before one expires`(version: SwiftAccount.Version)
        async throws
    {
        let server = try LoopbackServer()
        serve(server, version)
        let (account, transport) = (TemporaryCredential(try account(version, server)), CurlTransport())
        for (seconds, count) in [(0.0, 1), (3299, 1), (3301, 2)] {
            let session = try await account.current(by: transport, at: start.addingTimeInterval(seconds))
                .get()
            #expect(session.value.token == "t\(count)" && server.requestCount() == count)
            #expect(session.value.storage.text == server.address("/v1/AUTH_test"))
        }
    }

    @Test func `a container of Swift sends neither its key nor a token elsewhere, and shows none`()
        async throws
    {
        let elsewhere = try LoopbackServer()
        let bucket = try bucket(.v1)
        serve(bucket.server, .v1)
        bucket.server.serve("/v1/AUTH_test/img/moved", .redirect(to: elsewhere.address("/a.png")))
        let moved = await bucket.get("w:20", "img/moved")
        #expect(moved.status == 404 && moved.reason == "the origin responded with 302: swift://img/moved")
        bucket.server.serve("/v1/AUTH_test/img/cut", Reply(body: png).cut(after: 10))
        #expect(await bucket.get("w:20", "img/cut").text == "Source response is incomplete")
        #expect(await bucket.get("w:20", "none/a.png").status == 404)

        for (reply, status) in [
            (Reply.redirect(to: elsewhere.address("/auth")), 302), (.status(401), 401),
            (token(.v1, "t", "ftp://a"), 200), (token(.v1, "a b", "http://127.0.0.1:1"), 200),
        ] {
            let bucket = try self.bucket(.v1)
            bucket.server.serve("/auth/v1.0", reply)
            let denied = await bucket.get("w:20", "img/a.png")
            #expect(denied.status == 502)
            #expect(
                denied.reason
                    == "there is no token for Swift's user test:tester: "
                    + (status == 200
                        ? "the response has no credential" : "the response has the status \(status)")
            )
        }
        #expect(elsewhere.requestCount() == 0)
    }

    @Test func `a container of Swift is asked for changes and ranges`() async throws {
        let bucket = try bucket(.v1)
        serve(bucket.server, .v1)
        bucket.server.route("/v1/AUTH_test/img/g.png") { [png] request in
            if request.header("If-None-Match") == "\"1\"" {
                return .status(304, headers: [("ETag", "\"1\"")])
            }
            if request.header("Range") == "bytes=1-3" { return .part(png, 1...3) }
            return Reply(body: png, headers: [("ETag", "\"1\"")])
        }
        let old = await bucket.get("w:20", "img/g.png")
        let same = await bucket.get("w:20", "img/g.png", headers: [("Cache-Control", "no-cache")])
        #expect(same.status == 200 && same.body == old.body && same.tier == .memory)
        let part = await bucket.get("raw:1", "img/g.png%3Fv", headers: [("Range", "bytes=1-3")])
        #expect(part.status == 206 && part.text == "PNG")
        #expect(bucket.server.requests().last?.target == "/v1/AUTH_test/img/g.png?version-id=v")
        #expect(bucket.server.requestCount(path: "/auth/v1.0") == 1)
    }

    @Test func `a container of Swift with a token of the past tells it`() async throws {
        let server = try LoopbackServer()
        serve(server, .v3)
        let account = TemporaryCredential(try account(.v3, server))
        let result = await account.current(by: CurlTransport(), at: start.addingTimeInterval(3601))
        guard case .failure(let failure) = result else {
            Issue.record("an old token was used")
            return
        }
        #expect(failure.reason.hasSuffix("it has expired already: check the clock of this machine"))
    }

    @Test func `a container of Swift has limits of its own`() throws {
        var account = try account(.v1, LoopbackServer())
        account.limits = .init(connect: .seconds(2), data: .seconds(3))
        var timeouts = TransportTimeouts.all(.seconds(5))
        SwiftStore(account).limit(&timeouts)
        #expect(timeouts.connect == .seconds(2) && timeouts.firstByte == .seconds(3))
        #expect(timeouts.stall == .seconds(3) && timeouts.total == .seconds(5))
        #expect(account.timeouts.connect == .seconds(2) && account.timeouts.total == .seconds(3))
    }
}
