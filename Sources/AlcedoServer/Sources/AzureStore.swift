import AlcedoTransport
import Foundation

/// Azure Blob Storage.
struct AzureStore: SourceStore {
    enum Authorization: Sendable {
        case key(AzureSignature)
        case identity(TemporaryCredential<AzureIdentity>)
    }

    /// Of the protocol: versions of blobs have been in it since 2019-12-12.
    private static let version = "2021-08-06"

    let endpoint: ObjectStore.Endpoint
    let authorization: Authorization

    func response(
        for object: ObjectAddress, adding headers: [(name: String, value: String)],
        by transport: any Transport, now: () -> Date, send: Send
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        let place = endpoint.place(of: object)
        let own = [
            (name: "x-ms-date", value: HTTPDate.text(of: now())), (name: "x-ms-version", value: Self.version),
        ]
        switch authorization {
        case .key(let signature):
            let version = object.version.map { Array($0.utf8).percentDecodedWherePossible.text }
            let request = AzureSignature.Request(
                path: place.path,
                parameters: version.map { [(name: object.scheme.versionParameter, value: $0)] } ?? [],
                headers: own + headers)
            guard let value = signature.authorization(of: request) else {
                return .failure(.internalError("the request could not be signed: libcrypto failed"))
            }
            return await send(place.url, own + [(name: "Authorization", value: value)], true)
        case .identity(let identity):
            return await identity.response(by: transport, now: now) { token, isFirst in
                await send(place.url, own + [(name: "Authorization", value: "Bearer \(token)")], isFirst)
            }
        }
    }
}

extension ObjectStore.Endpoint {
    /// That of an account of Azure Blob Storage.
    static func azure(_ account: String) -> Self { Self(host: "\(account).blob.core.windows.net") }

    /// The service on each machine in Azure that gives tokens.
    static let azureMachine = Self(
        scheme: "http", host: "169.254.169.254", path: "/metadata/identity/oauth2/token")
}

/// What gets tokens for Azure Storage without a key.
struct AzureIdentity: CredentialService {
    enum Kind: Sendable, Equatable {
        /// The managed identity of the virtual machine, from the service that has no other address in Azure.
        case machine(ObjectStore.Endpoint = .azureMachine)

        /// The managed identity of an app or a container, from the service here.
        case app(ObjectStore.Endpoint, secret: String)

        /// An application, by its secret, or by the token of an account in Kubernetes, which is in a file.
        case principal(
            tenant: String, secret: String = "", file: String = "", authority: ObjectStore.Endpoint)
    }

    private static let resource = "https://storage.azure.com/"

    let kind: Kind

    /// Of an application, or of a managed identity that is not the system's; empty for that.
    let clientID: String

    /// For a request.
    var time = Duration.seconds(10)

    var failure: String {
        if case .principal = kind { return "the application \(clientID) gets no token for Azure Storage" }
        return "ABS_KEY is not set, and no managed identity gives a token for Azure Storage"
    }

    // Outside of Azure nobody is there: requests should fail with that reason, not with their own timeout.
    var timeouts: TransportTimeouts { .all(time, connect: time / 4) }

    func request(at date: Date, by _: any Transport) throws -> TransportRequest {
        switch kind {
        case .machine(let place):
            return try managed(place, version: "2018-02-01", header: ("Metadata", "true"))
        case .app(let place, let secret):
            return try managed(place, version: "2019-08-01", header: ("X-IDENTITY-HEADER", secret))
        case .principal(let tenant, let secret, let file, let authority):
            let proof =
                file.isEmpty
                ? [(name: "client_secret", value: secret)]
                : [
                    (
                        name: "client_assertion_type",
                        value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                    ), (name: "client_assertion", value: try CredentialFailure.token(in: file)),
                ]
            let form = ObjectAddress.query(
                [(name: "client_id", value: clientID)] + proof + [
                    (name: "grant_type", value: "client_credentials"),
                    (name: "scope", value: "\(Self.resource).default"),
                ])
            return try .form(form, to: "\(authority.text)/\(tenant)/oauth2/v2.0/token")
        }
    }

    private func managed(
        _ place: ObjectStore.Endpoint, version: String, header: (name: String, value: String)
    ) throws(TransportError) -> TransportRequest {
        var parameters = [(name: "api-version", value: version), (name: "resource", value: Self.resource)]
        if !clientID.isEmpty { parameters.append((name: "client_id", value: clientID)) }
        return try TransportRequest(address: "\(place.text)?\(ObjectAddress.query(parameters))") {
            $0.headers = [header]
            // The service is on this machine, where no proxy is.
            $0.proxy = .none
        }
    }

    func credential(
        in response: RemoteSource.Response, at now: Date
    ) -> (value: String, expires: Date)? {
        let fields = (try? JSONSerialization.jsonObject(with: response.result.body)) as? [String: Any]
        // They are numbers in some responses and texts in others.
        func seconds(_ name: String) -> Double? { fields?[name].flatMap { Double("\($0)") } }
        guard let token = fields?["access_token"] as? String, token.isHeaderText,
            let expires = seconds("expires_in").map({ now.addingTimeInterval($0) })
                ?? seconds("expires_on").map({ Date(timeIntervalSince1970: $0) })
        else { return nil }
        return (token, expires)
    }
}
