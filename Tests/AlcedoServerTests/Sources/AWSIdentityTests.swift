import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `An identity in AWS` {
    private let server: LoopbackServer
    private let place: ObjectStore.Endpoint
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let transport = CurlTransport()
    private let folder: TemporaryDirectory

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        place = try #require(ObjectStore.Endpoint(server.address("")))
    }

    private func identity(_ kind: AWSIdentity.Kind) -> TemporaryCredential<AWSIdentity> {
        TemporaryCredential(AWSIdentity(kind: kind, time: .seconds(600)))
    }

    /// A key that expires an hour after the start, and `later` seconds.
    private func keys(_ number: Int, later: Double = 0) -> Reply {
        let expires = start.addingTimeInterval(3600 + later).formatted(.iso8601)
        return Reply(
            body: Array(
                """
                {"Code": "Success", "AccessKeyId": "ID\(number)", "SecretAccessKey": "hunter3",
                "Token": "a+b/c==", "Expiration": "\(expires)"}
                """.utf8))
    }

    private func failure(
        of identity: TemporaryCredential<AWSIdentity>, after seconds: Double = 0
    ) async throws -> RequestFailure {
        let result = await identity.current(by: transport, at: start.addingTimeInterval(seconds))
        guard case .failure(let failure) = result else {
            throw Problem("there are keys")
        }
        return failure
    }

    private struct Problem: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static let machinePath = "/latest/meta-data/iam/security-credentials/"

    @Test func `an identity in AWS is the role of the machine, whose keys are replaced in time`()
        async throws
    {
        server.serve("/latest/api/token", Array("session==".utf8))
        server.serve(Self.machinePath, Array("reader-role\n".utf8))
        server.serve(Self.machinePath + "reader-role", keys(1), keys(2, later: 3600))
        let machine = identity(.machine(place))
        for seconds in [0, 3299.0] {
            let key = try await machine.current(by: transport, at: start.addingTimeInterval(seconds)).get()
            #expect(
                key.value == AWSCredentials(keyID: "ID1", secret: "hunter3", sessionToken: "a+b/c=="))
            #expect(server.requestCount() == 3)
        }
        let next = try await machine.current(by: transport, at: start.addingTimeInterval(3301)).get()
        #expect(next.value.keyID == "ID2")
        let requests = server.requests().prefix(3)
        #expect(requests.map(\.method) == ["PUT", "GET", "GET"])
        #expect(requests[0].header("X-aws-ec2-metadata-token-ttl-seconds") == "300")
        #expect(
            requests.map { $0.header("X-aws-ec2-metadata-token") } == [nil, "session==", "session=="])
    }

    @Test func `an identity in AWS is the role of a container, with the token in its file`() async throws {
        let file = folder.url.appending(path: "token")
        try Data("t1\n".utf8).write(to: file)
        server.serve("/v1/credentials", keys(1), keys(2, later: 3600), keys(3, later: 7200))
        let pod = try #require(ObjectStore.Endpoint(server.address("/v1/credentials")))
        let container = identity(.container(pod, file: file.path()))
        #expect(try await container.current(by: transport, at: start).get().value.keyID == "ID1")
        // Kubernetes has replaced it.
        try Data("t2".utf8).write(to: file)
        let later = start.addingTimeInterval(3301)
        #expect(try await container.current(by: transport, at: later).get().value.keyID == "ID2")
        let task = identity(.container(pod))
        #expect(try await task.current(by: transport, at: start).get().value.keyID == "ID3")
        #expect(server.requests().map { $0.header("Authorization") } == ["t1", "t2", nil])
        try FileManager.default.removeItem(at: file)
        #expect(
            try await failure(of: container, after: 7200).reason
                == "the role of this container gives no keys: the token in \(file.path()) can't be read")
    }

    @Test func `an identity in AWS is the role of an account in Kubernetes, which may assume another`()
        async throws
    {
        let file = folder.url.appending(path: "token")
        try Data("header.claims.signature".utf8).write(to: file)
        func document(_ action: String, _ id: String) -> Reply {
            let expires = start.addingTimeInterval(3600).formatted(.iso8601)
            return Reply(
                body: Array(
                    """
                    <\(action)Response><Credentials><AccessKeyId>\(id)</AccessKeyId>
                    <SecretAccessKey>hunter3</SecretAccessKey><SessionToken>s</SessionToken>
                    <Expiration>\(expires)</Expiration></Credentials></\(action)Response>
                    """.utf8))
        }
        server.serve("/", document("AssumeRoleWithWebIdentity", "ID1"), document("AssumeRole", "ID2"))
        let account = identity(
            .webIdentity(file: file.path(), role: "arn:aws:iam::1:role/pod", session: "a", service: place))
        let role = AssumedRole.Settings(
            arn: "arn:aws:iam::1:role/reader", endpoint: place, time: .seconds(600))
        let keys = AWSKeys.identity(account).assuming(role, region: "eu-west-3")
        #expect(try await keys.current(by: transport, at: start).get().keyID == "ID2")
        let requests = server.requests()
        #expect(requests.map(\.method) == ["POST", "GET"])
        #expect(
            String(decoding: requests[0].body, as: UTF8.self)
                == "Action=AssumeRoleWithWebIdentity&DurationSeconds=3600"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fpod&RoleSessionName=a&Version=2011-06-15"
                + "&WebIdentityToken=header.claims.signature")
        #expect(requests[0].header("Authorization") == nil)
        #expect(requests[1].header("Authorization")?.contains("Credential=ID1/") == true)
    }

    @Test func `an identity in AWS that gives no keys says why`() async throws {
        server.serve("/latest/api/token", .status(200), .status(403), .status(404), Reply(body: [0x61]))
        server.serve(Self.machinePath, Array("../../x y".utf8))
        let reasons = [
            "the response from /latest/api/token has no name or token", "the response has the status 403",
            "the response has the status 404",
            "the response from \(Self.machinePath) has no name or token",
        ]
        for reason in reasons {
            let failure = try await failure(of: identity(.machine(place)))
            #expect(
                failure.reason
                    == "AWS_ACCESS_KEY_ID is not set, and no role of this machine gives keys: \(reason)")
            #expect(failure.status == 502 && failure.isPassing)
        }
        server.serve("/task", Array("{\"AccessKeyId\": \"a\"}".utf8))
        let task = try #require(ObjectStore.Endpoint(server.address("/task")))
        #expect(
            try await failure(of: identity(.container(task))).reason
                == "the role of this container gives no keys: the response has no credential")
    }
}
