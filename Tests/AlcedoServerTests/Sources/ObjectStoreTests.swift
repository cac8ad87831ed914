import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// A handler whose sources are in a store.
struct BucketOrigin {
    private(set) var origin: ImageOrigin
    private let scheme: ObjectAddress.Scheme

    /// `store` gets the origin's server.
    init(
        _ scheme: ObjectAddress.Scheme, _ store: (LoopbackServer) throws -> any SourceStore,
        _ change: (inout ImageOrigin) -> Void = { _ in }
    ) throws {
        self.scheme = scheme
        origin = try ImageOrigin(change)
        origin.sources.stores = [scheme: try store(origin.server)]
        origin.rules.buckets = [scheme: BucketRules()]
        // Where the store is, is the operator's choice.
        origin.sources.addressPolicy = .publicOnly
    }

    /// By default, `endpoint` is the origin's server, which knows nothing of keys.
    init(
        endpoint: String? = nil, key: [String] = ["AKID", "hunter2", "hunter3"], role: String? = nil,
        _ change: (inout ImageOrigin) -> Void = { _ in }
    ) throws {
        try self.init(
            .s3,
            { server in
                let place = try #require(ObjectStore.Endpoint(endpoint ?? server.address("")))
                let credentials = AWSCredentials(keyID: key[0], secret: key[1], sessionToken: key[2])
                let role = role.map { AssumedRole.Settings(arn: $0, endpoint: place, time: .seconds(600)) }
                return ObjectStore(
                    .keys(AWSKeys.own(credentials).assuming(role, region: "us-west-1")),
                    region: "us-west-1", endpoint: place)
            }, change)
    }

    var server: LoopbackServer { origin.server }

    func get(
        _ options: String, _ object: String, headers: [(String, String)] = []
    ) async -> ServerResponse {
        let target = "/_/\(options)/plain/\(scheme.rawValue)://\(object)"
        return await origin.handler.patientResponse(to: .get(target, headers: headers))
    }
}

extension Reply {
    static func part(_ body: [UInt8], _ range: ClosedRange<Int>) -> Reply {
        let place = "bytes \(range.lowerBound)-\(range.upperBound)/\(body.count)"
        return Reply(status: 206, body: Array(body[range]), headers: [("Content-Range", place)])
    }
}

@Suite(.timeLimit(.minutes(10))) struct `An object in a store` {
    private let facts: ObjectStoreProcess.Facts

    init() throws { facts = try ObjectStoreProcess.shared.get().facts }

    private func bucket(_ key: [String]) throws -> BucketOrigin {
        try BucketOrigin(endpoint: facts.endpoint, key: key)
    }

    /// Puts an object by a request that is signed in the same way.
    private func put(_ key: String, _ body: [UInt8]) async throws {
        let signature = AWSSignature(
            credentials: AWSCredentials(keyID: facts.writer[0], secret: facts.writer[1]), region: "us-west-1",
            service: "s3")
        let host = String(facts.endpoint.dropFirst("http://".count))
        let signed = AWSSignature.Request(method: "PUT", host: host, path: "/pictures/\(key)", body: body)
        let headers = try #require(signature.headers(of: signed, at: Date()))
        let request = try TransportRequest(address: facts.endpoint + signed.path) {
            ($0.method, $0.body) = ("PUT", Data(body))
            $0.headers = headers + [(name: "Content-Type", value: "image/png")]
        }
        let response = try await RemoteSource.load(request, with: CurlTransport()).get()
        try #require(response.status == 200)
    }

    @Test(arguments: [
        "a.png", "a%20b+c(1)~*'%C3%A9.png", "a%2520b%252Bc%25281%29~*'%25C3%25A9.png", "new/a.png",
    ])
    func `an object in a store is a source`(key: String) async throws {
        let bucket = try bucket(facts.reader)
        let response = await bucket.get("w:20", "pictures/\(key)")
        #expect(response.status == 200 && response.size?.width == 20, "\(response.reason ?? "")")
        #expect(response.source == "s3://pictures/" && response.header("ETag") != nil)
        #expect(response.header("Cache-Control")?.contains("public") == true)
        let again = await bucket.get("w:20", "pictures/\(key)")
        #expect(again.tier == .memory && again.body == response.body)
    }

    @Test func `an object in a store may be an earlier version`() async throws {
        let bucket = try bucket(facts.temporary)
        let newest = await bucket.get("w:20", "pictures/versions/a.png")
        #expect(newest.status == 422, "\(newest.reason ?? "")")
        for version in [facts.version, "versionId=\(facts.version)"] {
            let response = await bucket.get("w:20", "pictures/versions/a.png%3F\(version)")
            #expect(response.status == 200, "\(response.reason ?? "")")
        }
    }

    @Test func `an object in a store needs a right key, which no error shows`() async throws {
        let wrong = [facts.reader[0], "hunter2", ""]
        let cases = [
            (facts.reader, "none.png", 404, "(NoSuchKey)"), (facts.writer, "none.png", 404, "(NoSuchKey)"),
            (facts.stranger, "a.png", 403, "(AccessDenied)"),
            (wrong, "a.png", 403, "(SignatureDoesNotMatch)"),
            (["AKNONE", "hunter2", ""], "a.png", 403, "(InvalidAccessKeyId)"),
            ([facts.temporary[0], facts.temporary[1], "x"], "a.png", 400, "(InvalidToken)"),
        ]
        for (key, name, status, code) in cases {
            let response = try await bucket(key).get("w:20", "pictures/\(name)")
            let reason = response.reason ?? ""
            #expect(response.status == status && response.text == "Source is unreachable", "\(reason)")
            #expect(reason == "the origin responded with \(status): s3://pictures/\(name) \(code)")
        }
        let absent = try await bucket(facts.writer).get("w:20", "none/a.png")
        #expect(
            absent.status == 404 && absent.reason?.hasSuffix("(NoSuchBucket)") == true,
            "\(absent.reason ?? "")")
    }

    @Test func `an object in a store is read by a role that the key may assume`() async throws {
        let name = "pictures/a.png"
        let own = try BucketOrigin(endpoint: facts.endpoint, key: facts.assumer)
        #expect(await own.get("w:20", name).status == 403)
        let role = try BucketOrigin(endpoint: facts.endpoint, key: facts.assumer, role: facts.role)
        let response = await role.get("w:20", name)
        #expect(response.status == 200 && response.size?.width == 20, "\(response.reason ?? "")")
        let stranger = try BucketOrigin(endpoint: facts.endpoint, key: facts.stranger, role: facts.role)
        let denied = await stranger.get("w:20", name)
        #expect(denied.status == 502)
        #expect(
            denied.reason
                == "the role \(facts.role) can't be assumed: the response has the status 403 (AccessDenied)")
    }

    @Test func `an object in a store that changes is noticed by its ETag`() async throws {
        let bucket = try bucket(facts.reader)
        let old = await bucket.get("w:20", "pictures/changing.png")
        #expect(old.size?.height == 20)
        let reload = [("Cache-Control", "no-cache")]
        let same = await bucket.get("w:20", "pictures/changing.png", headers: reload)
        #expect(same.body == old.body && same.tier == .memory)
        let etag = try #require(old.header("ETag"))
        let known = await bucket.get("w:20", "pictures/changing.png", headers: [("If-None-Match", etag)])
        #expect(known.status == 304)
        try await put("changing.png", Bitmap.coordinates(40, 20).encoded(as: .png))
        let new = await bucket.get("w:20", "pictures/changing.png", headers: reload)
        #expect(new.size?.height == 10 && new.header("ETag") != etag)
    }

    @Test func `an object in a store is private if its metadata says so, and may be sent as it is`()
        async throws
    {
        let bucket = try bucket(facts.reader)
        let own = await bucket.get("w:20", "pictures/private.png")
        #expect(own.status == 200 && own.header("Cache-Control")?.contains("private") == true)
        let part = await bucket.get("raw:1", "pictures/a.png", headers: [("Range", "bytes=1-3")])
        #expect(part.status == 206 && part.text == "PNG")
        let whole = await bucket.get("raw:1", "pictures/a.png")
        #expect(try whole.body == Data(contentsOf: ObjectStoreProcess.picture))
        #expect(await bucket.get("raw:1", "pictures/none.png").status == 404)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A store of objects` {
    private let png: [UInt8]

    init() throws { png = try Bitmap.coordinates(40, 30).encoded(as: .png) }

    private func regions(_ bucket: BucketOrigin) -> [String] {
        bucket.server.requests().map { request in
            let parts = (request.header("Authorization") ?? "").split(separator: "/")
            return parts.count > 2 ? String(parts[2]) : ""
        }
    }

    @Test(arguments: [
        Reply.status(301, headers: [("x-amz-bucket-region", "eu-west-1")]),
        Reply.status(400, headers: [("x-amz-bucket-region", "eu-west-1")]),
        Reply(status: 400, body: Array("<Error><Region>eu-west-1</Region></Error>".utf8)),
        Reply.status(
            307,
            headers: [("x-amz-bucket-region", "eu-west-1"), ("Location", "http://127.0.0.1:1/elsewhere")]),
    ])
    func `a store of objects names the region of a bucket, which is remembered`(_ redirect: Reply)
        async throws
    {
        let bucket = try BucketOrigin()
        bucket.server.serve("/img/a.png", redirect, Reply(body: png))
        bucket.server.serve("/img/b.png", png)
        bucket.server.serve("/other/a.png", png)
        let response = await bucket.get("w:20", "img/a.png")
        #expect(response.status == 200, "\(response.reason ?? "")")
        #expect(regions(bucket) == ["us-west-1", "eu-west-1"])
        for object in ["img/b.png", "other/a.png"] { #expect(await bucket.get("w:20", object).status == 200) }
        #expect(regions(bucket).suffix(2) == ["eu-west-1", "us-west-1"])
        #expect(bucket.server.requests().allSatisfy { $0.header("x-amz-security-token") == "hunter3" })
    }

    @Test func `a store of objects redirects twice at most, and to regions only`() async throws {
        let elsewhere = try LoopbackServer()
        elsewhere.serve("/a.png", png)
        let bucket = try BucketOrigin()
        let headers = (1...4).map {
            [("x-amz-bucket-region", "region-\($0)"), ("Location", elsewhere.address("/a.png"))]
        }
        let replies = headers.map { Reply.status(307, headers: $0) }
        bucket.server.serve("/img/a.png", replies[0], replies[1], replies[2], replies[3])
        let response = await bucket.get("w:20", "img/a.png")
        #expect(response.status == 404 && response.reason == "the origin responded with 307: s3://img/a.png")
        #expect(regions(bucket) == ["us-west-1", "region-1", "region-2"])
        for region in ["evil.test/", "us-west-1", String(repeating: "a", count: 33)] {
            let bucket = try BucketOrigin()
            bucket.server.serve("/img/a.png", .status(301, headers: [("x-amz-bucket-region", region)]))
            #expect(await bucket.get("w:20", "img/a.png").status == 404)
            #expect(bucket.server.requestCount() == 1)
        }
        #expect(elsewhere.requestCount() == 0)
    }

    @Test func `a store of objects that hangs, cuts or fails is an origin like others`() async throws {
        let gate = Gate()
        let hasty = try BucketOrigin {
            $0.sources.downloadTimeout = 0.05
            $0.engine = ServerEngine(retrying: .seconds(600))
        }
        for number in 0..<20 {
            hasty.server.serve("/img/\(number).png", Reply(body: png).hold(.head, until: gate))
        }
        var late = 0
        while hasty.origin.engine.sources.figures.unresponsiveOrigins == 0, late < 20, !Task.isCancelled {
            #expect(await hasty.get("w:20", "img/\(late).png").status == 504)
            late += 1
        }
        #expect(
            await hasty.get("w:20", "img/19.png").reason?.hasPrefix("s3://img/ has not responded") == true)
        gate.open()
        let bucket = try BucketOrigin()
        bucket.server.serve("/img/cut.png", Reply(body: png).cut(after: 10))
        bucket.server.serve("/img/slow.png", Reply(status: 503, body: Array("<Code>SlowDown</Code>".utf8)))
        let cut = await bucket.get("w:20", "img/cut.png")
        #expect(cut.status == 422 && cut.text == "Source response is incomplete")
        let slow = await bucket.get("w:20", "img/slow.png")
        #expect(slow.status == 502 && slow.reason?.hasSuffix(" (SlowDown)") == true, "\(slow.reason ?? "")")
        for response in [cut, slow] { #expect(response.reason?.contains("hunter") == false) }
    }

    @Test func `a store of objects has originals that are kept, and shared by sizes`() async throws {
        let bucket = try BucketOrigin { $0.responses.keepsOriginals = true }
        bucket.server.serve("/img/a.png", png)
        for width in [10, 20] { #expect(await bucket.get("w:\(width)", "img/a.png").size?.width == width) }
        #expect(bucket.server.requestCount() == 1)
    }

    @Test func `a store of objects is off without its setting`() async throws {
        var origin = try ImageOrigin()
        let target = "/_/w:20/plain/s3://img/a.png"
        let rejected = await origin.handler.patientResponse(to: .get(target))
        #expect(rejected.status == 404 && rejected.reason == "s3 sources are off: set USE_S3")
        origin.rules.buckets = [.s3: BucketRules()]
        let unloaded = await origin.handler.patientResponse(to: .get(target))
        #expect(unloaded.status == 404 && unloaded.reason?.contains("USE_S3") == true)
    }
}
