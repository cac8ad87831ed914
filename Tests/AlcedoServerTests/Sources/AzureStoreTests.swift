import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `A container of Azure` {
    private static let key = Array("hunter2".utf8)
    private let png: [UInt8]

    init() throws { png = try Bitmap.coordinates(40, 30).encoded(as: .png) }

    /// The URLs have the account in their path, as those of an emulator have.
    private func bucket(
        key: [UInt8] = Self.key, _ change: (inout ImageOrigin) -> Void = { _ in }
    ) throws -> BucketOrigin {
        try BucketOrigin(
            .abs,
            {
                AzureStore(
                    endpoint: try #require(ObjectStore.Endpoint($0.address("/pictures1"))),
                    authorization: .key(AzureSignature(account: "pictures1", key: key)))
            }, change)
    }

    /// Has `reply` create the responses to requests with a right signature.
    private func serve(
        _ bucket: BucketOrigin, _ path: String, _ reply: @escaping @Sendable (ReceivedRequest) -> Reply
    ) {
        bucket.server.route("/pictures1/" + path) { request in
            guard Self.isSigned(request) else { return Self.failure(403, "AuthenticationFailed") }
            return reply(request)
        }
    }

    private static func failure(_ status: Int, _ code: String) -> Reply {
        Reply(status: status, body: Array("\u{FEFF}<Error><Code>\(code)</Code></Error>".utf8))
    }

    /// Whether the signature is that of the request as it has arrived.
    private static func isSigned(_ request: ReceivedRequest) -> Bool {
        func value(_ name: String) -> String { request.header(name) ?? "" }
        var text = request.method + "\n"
        for name in [
            "Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
            "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range",
        ] {
            text += value(name) + "\n"
        }
        text += "x-ms-date:\(value("x-ms-date"))\nx-ms-version:\(value("x-ms-version"))\n"
        text += "/pictures1" + request.path
        for pair in request.target.dropFirst(request.path.count + 1).split(separator: "&").sorted() {
            let parts = pair.split(separator: "=", maxSplits: 1)
            text += "\n\(parts[0].lowercased()):\(parts[1].removingPercentEncoding ?? "")"
        }
        let code = MessageCode.code(of: Array(text.utf8), key: key) ?? []
        return value("Authorization") == "SharedKey pictures1:" + Data(code).base64EncodedString()
    }

    @Test(arguments: [
        ("img/a.png", "img/a.png"), ("$web/a.png", "$web/a.png"),
        ("img/a%20b+c(1)~*'%C3%A9/d.png", "img/a%20b%2Bc%281%29~%2A%27%C3%A9/d.png"),
    ])
    func `a container of Azure has sources`(object: String, path: String) async throws {
        let bucket = try bucket()
        serve(bucket, path) { [png] _ in Reply(body: png, headers: [("ETag", "\"1\"")]) }
        let response = await bucket.get("w:20", object)
        #expect(response.status == 200 && response.size?.width == 20, "\(response.reason ?? "")")
        #expect(response.header("Cache-Control")?.contains("public") == true)
        #expect(await bucket.get("w:20", object).tier == .memory)
        #expect(bucket.server.requestCount() == 1)
    }

    @Test func `a container of Azure has versions`() async throws {
        let bucket = try bucket()
        serve(bucket, "img/a.png") { [png] _ in Reply(body: png) }
        let response = await bucket.get("w:20", "img/a.png%3F2026-11-30T12:00:00.1234567Z")
        #expect(response.status == 200, "\(response.reason ?? "")")
        #expect(
            bucket.server.requests().map(\.target) == [
                "/pictures1/img/a.png?versionid=2026-11-30T12%3A00%3A00.1234567Z"
            ])
    }

    @Test func `a container of Azure is asked for changes and ranges, which are signed`() async throws {
        let bucket = try bucket()
        serve(bucket, "img/a.png") { [png] request in
            if request.header("If-None-Match") == "\"1\"" {
                return .status(304, headers: [("ETag", "\"1\"")])
            }
            if request.header("Range") == "bytes=1-3" { return .part(png, 1...3) }
            return Reply(body: png, headers: [("ETag", "\"1\"")])
        }
        let old = await bucket.get("w:20", "img/a.png")
        let same = await bucket.get("w:20", "img/a.png", headers: [("Cache-Control", "no-cache")])
        #expect(same.status == 200 && same.body == old.body && same.tier == .memory)
        #expect(bucket.server.requests().last?.header("If-None-Match") == "\"1\"")
        let part = await bucket.get("raw:1", "img/a.png", headers: [("Range", "bytes=1-3")])
        #expect(part.status == 206 && part.text == "PNG")
    }

    @Test func `a container of Azure needs the right key, which no error shows`() async throws {
        let wrong = try bucket(key: Array("hunter3".utf8))
        serve(wrong, "img/a.png") { [png] _ in Reply(body: png) }
        let denied = await wrong.get("w:20", "img/a.png")
        #expect(
            denied.status == 403
                && denied.reason == "the origin responded with 403: abs://img/a.png (AuthenticationFailed)")
        let bucket = try bucket()
        for code in ["BlobNotFound", "ContainerNotFound"] {
            serve(bucket, "img/\(code)") { _ in Self.failure(404, code) }
            let absent = await bucket.get("w:20", "img/\(code)")
            #expect(absent.status == 404 && absent.reason?.hasSuffix(" (\(code))") == true)
        }
    }

    @Test func `a container of Azure that redirects or cuts has no source`() async throws {
        let elsewhere = try LoopbackServer()
        let bucket = try bucket()
        serve(bucket, "img/moved") { _ in .redirect(to: elsewhere.address("/a.png")) }
        serve(bucket, "img/cut") { [png] _ in Reply(body: png).cut(after: 10) }
        #expect(
            await bucket.get("w:20", "img/moved").reason == "the origin responded with 302: abs://img/moved")
        #expect(elsewhere.requestCount() == 0)
        #expect(await bucket.get("w:20", "img/cut").text == "Source response is incomplete")
    }

    // MARK: - Without a key

    private func identity(
        _ server: LoopbackServer, clientID: String = "", _ kind: (ObjectStore.Endpoint) -> AzureIdentity.Kind
    ) throws -> AzureIdentity {
        let place = try #require(ObjectStore.Endpoint(server.address("/token")))
        return AzureIdentity(kind: kind(place), clientID: clientID, time: .seconds(600))
    }

    private func token(_ text: String, _ expires: String = "\"expires_in\": \"3599\"") -> Reply {
        Reply(body: Array("{\"access_token\": \"\(text)\", \(expires), \"token_type\": \"Bearer\"}".utf8))
    }

    @Test func `a container of Azure is read by the identity of the machine`() async throws {
        let bucket = try BucketOrigin(.abs) { server in
            AzureStore(
                endpoint: try #require(ObjectStore.Endpoint(server.address(""))),
                authorization: .identity(TemporaryCredential(try identity(server) { .machine($0) })))
        }
        bucket.server.serve("/token", token("t1"), token("t2"))
        bucket.server.serve("/img/a.png", png)
        bucket.server.serve("/img/b.png", .status(401), Reply(body: png))
        for name in ["img/a.png", "img/b.png"] {
            let response = await bucket.get("w:20", name)
            #expect(response.status == 200 && response.header("Cache-Control")?.contains("public") == true)
        }
        let requests = bucket.server.requests()
        #expect(
            requests.map(\.path) == ["/token", "/img/a.png", "/img/b.png", "/token", "/img/b.png"])
        #expect(
            requests.map { $0.header("Authorization") } == [nil, "Bearer t1", "Bearer t1", nil, "Bearer t2"])
        #expect(
            requests[0].target
                == "/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F")
        #expect(requests[0].header("Metadata") == "true" && requests[1].header("x-ms-version") != nil)
    }

    @Test func `a container of Azure is read by the identity of an app or an application's secret`()
        async throws
    {
        let server = try LoopbackServer()
        let (transport, start) = (CurlTransport(), Date(timeIntervalSince1970: 1_700_000_000))
        server.serve("/token", token("t1", "\"expires_on\": 1700003600"))
        let app = TemporaryCredential(
            try identity(server, clientID: "c d") { .app($0, secret: "hunter2") })
        for seconds in [0, 3299.0] {
            let issued = await app.current(by: transport, at: start.addingTimeInterval(seconds))
            #expect(try issued.get().value == "t1" && server.requestCount() == 1)
        }
        _ = await app.current(by: transport, at: start.addingTimeInterval(3301))
        let request = try #require(server.requests().last)
        #expect(server.requestCount() == 2 && request.header("X-IDENTITY-HEADER") == "hunter2")
        #expect(request.target.hasPrefix("/token?api-version=2019-08-01&"))
        #expect(request.target.hasSuffix("&client_id=c%20d"))

        server.serve("/token/t/oauth2/v2.0/token", token("t2", "\"expires_in\": 3599"))
        let principal = TemporaryCredential(
            try identity(server, clientID: "c") { .principal(tenant: "t", secret: "h+2", authority: $0) })
        #expect(try await principal.current(by: transport, at: start).get().value == "t2")
        let form = String(decoding: try #require(server.requests().last).body, as: UTF8.self)
        #expect(
            form == "client_id=c&client_secret=h%2B2&grant_type=client_credentials"
                + "&scope=https%3A%2F%2Fstorage.azure.com%2F.default")
    }

    @Test func `a container of Azure is read by the token of an account in Kubernetes, which is read anew`()
        async throws
    {
        let server = try LoopbackServer()
        let folder = try TemporaryDirectory()
        let file = folder.url.appending(path: "token")
        server.serve("/token/t/oauth2/v2.0/token", token("t1"), token("t2"))
        let pod = TemporaryCredential(
            try identity(server, clientID: "c") {
                .principal(tenant: "t", file: file.path(), authority: $0)
            })
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        for (text, seconds) in [("a.b", 0), ("c.d", 3500.0)] {
            try Data(text.utf8).write(to: file)
            _ = try await pod.current(by: CurlTransport(), at: start.addingTimeInterval(seconds)).get()
            let form = String(decoding: try #require(server.requests().last).body, as: UTF8.self)
            #expect(
                form == "client_id=c&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3A"
                    + "client-assertion-type%3Ajwt-bearer&client_assertion=\(text)"
                    + "&grant_type=client_credentials&scope=https%3A%2F%2Fstorage.azure.com%2F.default")
        }
    }

    @Test(arguments: [
        "{\"access_token\": \"a b\", \"expires_in\": 1}", "{\"access_token\": \"a\"}", "{\"expires_in\": 1}",
        "[",
    ])
    func `a container of Azure needs a whole token`(body: String) async throws {
        let server = try LoopbackServer()
        server.serve("/token", Array(body.utf8))
        let machine = TemporaryCredential(try identity(server) { .machine($0) })
        let result = await machine.current(by: CurlTransport(), at: Date())
        guard case .failure(let failure) = result else {
            Issue.record("half a token was used")
            return
        }
        #expect(failure.status == 502)
        #expect(
            failure.reason == "ABS_KEY is not set, and no managed identity gives a token for Azure Storage: "
                + "the response has no credential")
    }
}
