import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `An assumed role` {
    private let server: LoopbackServer
    private let role: TemporaryCredential<AssumedRole>
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let transport = CurlTransport()

    init() throws {
        server = try LoopbackServer()
        let settings = AssumedRole.Settings(
            arn: "arn:aws:iam::1:role/reader", externalID: "a b", endpoint: .init(server.address("")),
            time: .seconds(600))
        role = TemporaryCredential(
            AssumedRole(
                settings: settings, own: .own(AWSCredentials(keyID: "AKID", secret: "hunter2")),
                region: "eu-west-3"))
    }

    /// What the service responds with: a key that expires an hour after the start, and `later` seconds.
    private func reply(_ number: Int, later: Double = 0) -> Reply {
        let expires = start.addingTimeInterval(3600 + later).formatted(.iso8601)
        return Reply(
            body: Array(
                """
                <AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ID\(number)</AccessKeyId>
                <SecretAccessKey>hunter3</SecretAccessKey><SessionToken>a+b/c==</SessionToken>
                <Expiration>\(expires)</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>
                """.utf8))
    }

    private func key(after seconds: Double) async -> Result<AWSCredentials, RequestFailure> {
        await role.current(by: transport, at: start.addingTimeInterval(seconds)).map(\.value)
    }

    @Test func `an assumed role has one key for all requests until shortly before it expires`() async throws {
        server.serve("/", reply(1), reply(2, later: 3600))
        let first = try await withThrowingTaskGroup(of: AWSCredentials.self) { group in
            for _ in 0..<20 { group.addTask { try await key(after: 0).get() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let own = AWSCredentials(keyID: "ID1", secret: "hunter3", sessionToken: "a+b/c==")
        #expect(Set(first.map(\.keyID)) == ["ID1"] && first[0] == own)
        #expect(try await key(after: 3299).get() == own && server.requestCount() == 1)
        #expect(try await key(after: 3301).get().keyID == "ID2" && server.requestCount() == 2)
        let request = try #require(server.requests().first)
        #expect(
            request.target
                == "/?Action=AssumeRole&DurationSeconds=3600&ExternalId=a%20b&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Freader&RoleSessionName=alcedo&Version=2011-06-15"
        )
        #expect(request.header("Authorization")?.contains("/eu-west-3/sts/aws4_request") == true)
    }

    @Test func `an assumed role keeps its key while no other can be had, and does not ask each time`()
        async throws
    {
        server.serve("/", reply(1), .status(500), .status(500), reply(2, later: 7200))
        #expect(try await key(after: 0).get().keyID == "ID1")
        #expect(try await key(after: 3400).get().keyID == "ID1" && server.requestCount() == 2)
        #expect(try await key(after: 3404).get().keyID == "ID1" && server.requestCount() == 2)
        let expired = await key(after: 3600)
        #expect(server.requestCount() == 3)
        guard case .failure(let failure) = expired else {
            Issue.record("an expired key was used")
            return
        }
        #expect(
            failure.reason
                == "the role arn:aws:iam::1:role/reader can't be assumed: the response has the status 500"
                && failure.isPassing)
        guard case .failure = await key(after: 3604) else {
            Issue.record("an expired key was used")
            return
        }
        #expect(try await key(after: 3606).get().keyID == "ID2" && server.requestCount() == 4)
    }

    @Test(arguments: ["<html>", "<AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey>"])
    func `an assumed role needs a whole key`(body: String) async throws {
        server.serve("/", Array(body.utf8))
        guard case .failure(let failure) = await key(after: 0) else {
            Issue.record("half a key was used")
            return
        }
        #expect(failure.reason.hasSuffix("can't be assumed: the response has no credential"))
    }
}
