import AlcedoTransport
import Foundation

/// A role of AWS, which has temporary keys.
struct AssumedRole: CredentialService {
    struct Settings: Sendable, Equatable {
        var arn = ""

        /// What the role may demand; empty for nothing.
        var externalID = ""

        /// Where roles are assumed; nil for AWS.
        var endpoint: ObjectStore.Endpoint?

        /// For a request.
        var time = Duration.seconds(10)
    }

    let settings: Settings

    /// Those that may assume it.
    let own: AWSKeys

    /// That of the service which gives temporary keys.
    let region: String

    var failure: String { "the role \(settings.arn) can't be assumed" }
    var timeouts: TransportTimeouts { .all(settings.time) }

    func request(at date: Date, by transport: any Transport) async throws -> TransportRequest {
        let key: AWSCredentials
        switch await own.current(by: transport, at: date) {
        case .success(let own): key = own
        case .failure(let failure): throw CredentialFailure(failure.reason)
        }
        let endpoint = settings.endpoint ?? .aws("sts", region: region)
        var parameters = [("Action", "AssumeRole"), ("DurationSeconds", "3600")]
        if !settings.externalID.isEmpty { parameters.append(("ExternalId", settings.externalID)) }
        parameters += [("RoleArn", settings.arn), ("RoleSessionName", "alcedo"), ("Version", "2011-06-15")]
        let query = ObjectAddress.query(parameters)
        let signed = AWSSignature.Request(host: endpoint.host, path: endpoint.path + "/", query: query)
        let signature = AWSSignature(credentials: key, region: region, service: "sts")
        guard let headers = signature.headers(of: signed, at: date) else {
            throw CredentialFailure("libcrypto could not sign the request for it")
        }
        return try TransportRequest(
            address: "\(endpoint.scheme)://\(signed.host)\(signed.path)?\(query)"
        ) { $0.headers = headers }
    }

    func credential(
        in response: RemoteSource.Response, at now: Date
    ) -> (value: AWSCredentials, expires: Date)? {
        Self.credential(in: response.result.body)
    }

    /// The key in a document of the service for roles.
    static func credential(in body: Data) -> (value: AWSCredentials, expires: Date)? {
        func text(_ name: String) -> String? { ObjectStore.text(of: name, in: body) }
        guard let id = text("AccessKeyId"), let secret = text("SecretAccessKey"),
            let token = text("SessionToken"), let expires = text("Expiration").flatMap(Date.init(expiry:))
        else { return nil }
        return (AWSCredentials(keyID: id, secret: secret, sessionToken: token), expires)
    }
}
