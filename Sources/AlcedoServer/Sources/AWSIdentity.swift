import AlcedoTransport
import Foundation

/// Where the keys are from that sign requests to AWS.
enum AWSKeys: Sendable {
    case own(AWSCredentials)
    case identity(TemporaryCredential<AWSIdentity>)
    case role(TemporaryCredential<AssumedRole>)

    /// The role, if there is one, which these keys may assume.
    func assuming(_ role: AssumedRole.Settings?, region: String) -> AWSKeys {
        role.map { .role(TemporaryCredential(AssumedRole(settings: $0, own: self, region: region))) } ?? self
    }

    func current(by transport: any Transport, at now: Date) async -> Result<AWSCredentials, RequestFailure> {
        switch self {
        case .own(let key): .success(key)
        case .identity(let identity): await identity.current(by: transport, at: now).map(\.value)
        case .role(let role): await role.current(by: transport, at: now).map(\.value)
        }
    }
}

/// The role that a program has where it runs, which gives it temporary keys.
struct AWSIdentity: CredentialService {
    enum Kind: Sendable, Equatable {
        /// That of an account in Kubernetes, for the token in a file.
        case webIdentity(file: String, role: String, session: String, service: ObjectStore.Endpoint)

        /// That of a task or pod, from the service here; the token for it is in a file or a text, or there is none.
        case container(ObjectStore.Endpoint, token: String = "", file: String = "")

        /// That of the virtual machine.
        case machine(ObjectStore.Endpoint = .awsMachine)
    }

    private static let machinePath = "/latest/meta-data/iam/security-credentials/"

    let kind: Kind

    /// For a request.
    var time = Duration.seconds(10)

    var failure: String {
        switch kind {
        case .webIdentity(_, let role, _, _): "the role \(role) gives this account of Kubernetes no keys"
        case .container: "the role of this container gives no keys"
        case .machine: "AWS_ACCESS_KEY_ID is not set, and no role of this machine gives keys"
        }
    }

    // Outside of AWS nobody is there: requests should fail with that reason, not with their own timeout.
    var timeouts: TransportTimeouts { .all(time, connect: time / 4) }

    func request(at date: Date, by transport: any Transport) async throws -> TransportRequest {
        switch kind {
        case .webIdentity(let file, let role, let session, let service):
            let form = ObjectAddress.query([
                ("Action", "AssumeRoleWithWebIdentity"), ("DurationSeconds", "3600"), ("RoleArn", role),
                ("RoleSessionName", session), ("Version", "2011-06-15"),
                ("WebIdentityToken", try CredentialFailure.token(in: file)),
            ])
            return try .form(form, to: service.text + "/")
        case .container(let place, let text, let file):
            let token = file.isEmpty ? text : try CredentialFailure.token(in: file)
            return try Self.local(place.text, token.isEmpty ? [] : [("Authorization", token)])
        case .machine(let place):
            let age = (name: "X-aws-ec2-metadata-token-ttl-seconds", value: "300")
            var start = try Self.local(place.text + "/latest/api/token", [age])
            (start.method, start.body) = ("PUT", Data())
            let token = try await text(start, by: transport)
            let headers = [(name: "X-aws-ec2-metadata-token", value: token)]
            let list = place.text + Self.machinePath
            let role = try await text(Self.local(list, headers), by: transport)
            return try Self.local(list + role, headers)
        }
    }

    /// The services are on this machine, where no proxy is.
    private static func local(
        _ address: String, _ headers: [(name: String, value: String)]
    ) throws -> TransportRequest {
        try TransportRequest(address: address) { ($0.headers, $0.proxy) = (headers, .none) }
    }

    /// The first line of a response.
    private func text(_ request: TransportRequest, by transport: any Transport) async throws -> String {
        let body = try await response(to: request, by: transport).result.body
        let line = String(decoding: body.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line.isHeaderText else {
            throw CredentialFailure("the response from \(request.url.path()) has no name or token")
        }
        return line
    }

    func credential(
        in response: RemoteSource.Response, at now: Date
    ) -> (value: AWSCredentials, expires: Date)? {
        let body = response.result.body
        if case .webIdentity = kind { return AssumedRole.credential(in: body) }
        guard let keys = try? JSONDecoder().decode(Keys.self, from: body),
            let expires = Date(expiry: keys.Expiration)
        else { return nil }
        let key = AWSCredentials(
            keyID: keys.AccessKeyId, secret: keys.SecretAccessKey, sessionToken: keys.Token)
        return key.keyID.isHeaderText && key.sessionToken.isHeaderText ? (key, expires) : nil
    }

    private struct Keys: Decodable {
        let AccessKeyId, SecretAccessKey, Token, Expiration: String
    }
}

extension ObjectStore.Endpoint {
    /// The service on each machine in AWS that gives keys.
    static let awsMachine = Self(scheme: "http", host: "169.254.169.254")

    /// The service for the containers of a machine.
    static let awsContainer = Self(scheme: "http", host: "169.254.170.2")
}
