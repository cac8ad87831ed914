import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)), .enabled(if: TestCertificate.isAvailable))
struct `An identity in Google's cloud` {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func token(_ text: String) -> Reply {
        Reply(
            body: Array(
                "{\"access_token\": \"\(text)\", \"expires_in\": 3599, \"token_type\": \"Bearer\"}".utf8))
    }

    @Test func `an identity in Google's cloud reads with the token of the machine`() async throws {
        let png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        let bucket = try BucketOrigin(.gs) { server in
            let place = try #require(ObjectStore.Endpoint(server.address("")))
            let machine = GoogleIdentity(kind: .machine(place), time: .seconds(600))
            return ObjectStore(.google(TemporaryCredential(machine)), region: "auto", endpoint: place)
        }
        let path = "/computeMetadata/v1/instance/service-accounts/default/token"
        bucket.server.serve(path, token("t1"), token("t2"))
        bucket.server.serve("/img/a.png", png)
        bucket.server.serve("/img/b.png", .status(401), Reply(body: png))
        #expect(await bucket.get("w:20", "img/a.png").status == 200)
        #expect(await bucket.get("w:20", "img/b.png%3F12").status == 200)
        let requests = bucket.server.requests()
        #expect(
            requests.map(\.target) == [
                path, "/img/a.png", "/img/b.png?generation=12", path, "/img/b.png?generation=12",
            ])
        #expect(
            requests.map { $0.header("Authorization") } == [nil, "Bearer t1", "Bearer t1", nil, "Bearer t2"])
        #expect(requests[0].header("Metadata-Flavor") == "Google")
    }

    @Test func `an identity in Google's cloud is a service account, whose key signs for a token`()
        async throws
    {
        let (server, folder) = (try LoopbackServer(), try TemporaryDirectory())
        let secret = try await TestKey(in: folder)
        let json = try secret.googleAccount(email: "img@p.test", tokens: server.address("/token"))
        let key = try #require(GoogleKey(json))
        server.serve("/token", token("t1"), token("t2"))
        for (writes, scope) in [(false, "read_only"), (true, "read_write")] {
            let account = TemporaryCredential(
                GoogleIdentity(kind: .account(key), writes: writes, time: .seconds(600)))
            let issued = try await account.current(by: CurlTransport(), at: start).get()
            #expect(issued.value == (writes ? "t2" : "t1"))
            let form = String(decoding: try #require(server.requests().last).body, as: UTF8.self)
            let pairs = form.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
            #expect(pairs.map(\.[0]) == ["assertion", "grant_type"])
            #expect(pairs[1][1] == "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
            let parts = pairs[0][1].split(separator: ".").map(String.init)
            let texts = try parts.prefix(2).map { String(decoding: try bytes($0), as: UTF8.self) }
            #expect(
                texts == [
                    "{\"alg\":\"RS256\",\"kid\":\"k1\",\"typ\":\"JWT\"}",
                    "{\"aud\":\"\(server.address("/token").replacing("/", with: "\\/"))\",\"exp\":1700003600,"
                        + "\"iat\":1700000000,\"iss\":\"img@p.test\",\"scope\":"
                        + "\"https:\\/\\/www.googleapis.com\\/auth\\/devstorage.\(scope)\"}",
                ])
            try await secret.verify(bytes(parts[2]), of: Data("\(parts[0]).\(parts[1])".utf8))
            await #expect(throws: POSIXError.self) {
                try await secret.verify(bytes(parts[2]), of: Data("\(parts[0])".utf8))
            }
        }
    }

    /// Of base64 for URLs.
    private func bytes(_ text: String) throws -> Data {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(
            Data(base64Encoded: padded + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    @Test func `an identity in Google's cloud that gets no token says why`() async throws {
        let server = try LoopbackServer()
        server.serve(
            "/computeMetadata/v1/instance/service-accounts/default/token", .status(404),
            Reply(body: Array("{\"access_token\": \"a b\", \"expires_in\": 1}".utf8)))
        let place = try #require(ObjectStore.Endpoint(server.address("")))
        for reason in ["the response has the status 404", "the response has no credential"] {
            let machine = TemporaryCredential(GoogleIdentity(kind: .machine(place), time: .seconds(600)))
            let result = await machine.current(by: CurlTransport(), at: start)
            guard case .failure(let failure) = result else {
                Issue.record("there is a token")
                continue
            }
            #expect(
                failure.reason
                    == "GCS_KEY and GCS_ACCESS_KEY_ID are not set, and no account of this machine gives a token "
                    + "for Google Cloud Storage: \(reason)")
        }
    }

    @Test func `an identity in Google's cloud needs an RSA key without a password`() async throws {
        let folder = try TemporaryDirectory()
        let whole = try await TestKey(in: folder)
        #expect(GoogleKey(try whole.googleAccount(email: "a")) != nil)
        let certificate = try await TestCertificate(in: folder)
        let others = [
            try String(contentsOf: folder.file("key.pem"), encoding: .utf8),
            try String(contentsOfFile: certificate.file, encoding: .utf8), String(whole.pem.prefix(900)), "",
        ]
        for pem in others {
            let fields = ["type": "service_account", "client_email": "a", "private_key": pem]
            #expect(GoogleKey(String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)) == nil)
        }
    }
}
