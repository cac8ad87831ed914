import AlcedoTransport
import Foundation

/// OpenStack's object storage, Swift.
struct SwiftStore: SourceStore {
    let account: TemporaryCredential<SwiftAccount>

    init(_ account: SwiftAccount) { self.account = TemporaryCredential(account) }

    func response(
        for object: ObjectAddress, adding headers: [(name: String, value: String)],
        by transport: any Transport, now: () -> Date, send: Send
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        await account.response(by: transport, now: now) { session, isFirst in
            await send(
                session.storage.place(of: object).url, [(name: "X-Auth-Token", value: session.token)], isFirst
            )
        }
    }

    func limit(_ timeouts: inout TransportTimeouts) {
        let limits = account.service.limits
        timeouts.connect = min(timeouts.connect, limits.connect)
        timeouts.firstByte = min(timeouts.firstByte, limits.data)
        timeouts.stall = min(timeouts.stall, limits.data)
    }
}

/// A user of Swift, who gets tokens.
struct SwiftAccount: CredentialService {
    /// The protocol of the service that gives tokens: Swift's own, or one of Keystone's.
    enum Version: Int, Sendable { case v1 = 1, v2, v3 }

    struct Limits: Sendable, Equatable {
        var connect = Duration.seconds(10)

        /// Until the next part of a response.
        var data = Duration.seconds(60)
    }

    struct Session: Sendable {
        let token: String

        /// What is in front of the container in URLs.
        let storage: ObjectStore.Endpoint
    }

    var version: Version

    /// Of the service that gives tokens.
    var address: ObjectStore.Endpoint
    var user: String
    var key: String

    /// Of versions 2 and 3, which call it a project; empty for the user's own.
    var tenant = ""

    /// Of the user and the project, by its name, in version 3; empty for the one with the ID `default`.
    var domain = ""
    var limits = Limits()

    var failure: String { "there is no token for Swift's user \(user)" }

    var timeouts: TransportTimeouts {
        .all(limits.data, connect: min(limits.connect, limits.data))
    }

    func request(at date: Date, by _: any Transport) throws(TransportError) -> TransportRequest {
        let url = address.text
        switch version {
        case .v1:
            return try TransportRequest(address: url) {
                $0.headers = [("X-Auth-User", user), ("X-Auth-Key", key)]
            }
        case .v2:
            var auth: [String: Any] = ["passwordCredentials": ["username": user, "password": key]]
            if !tenant.isEmpty { auth["tenantName"] = tenant }
            return try Self.post(["auth": auth], to: url + "/tokens")
        case .v3:
            let domain = domain.isEmpty ? ["id": "default"] : ["name": domain]
            let user: [String: Any] = ["name": user, "password": key, "domain": domain]
            var auth: [String: Any] = ["identity": ["methods": ["password"], "password": ["user": user]]]
            if !tenant.isEmpty { auth["scope"] = ["project": ["name": tenant, "domain": domain]] }
            return try Self.post(["auth": auth], to: url + "/auth/tokens")
        }
    }

    private static func post(_ message: [String: Any], to url: String) throws(TransportError)
        -> TransportRequest
    {
        let body = try? JSONSerialization.data(withJSONObject: message)
        return try TransportRequest(address: url) {
            ($0.method, $0.body) = ("POST", body)
            $0.headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        }
    }

    func credential(
        in response: RemoteSource.Response, at now: Date
    ) -> (value: Session, expires: Date)? {
        func header(_ name: String) -> String? { response.result.response.value(forHeader: name) }
        let (token, storage): (String?, String?)
        var expires: Date?
        if version == .v1 {
            (token, storage) = (header("X-Auth-Token"), header("X-Storage-Url"))
            // Without it, the token is used until it is rejected.
            expires = header("X-Auth-Token-Expires").flatMap(Double.init).map { now.addingTimeInterval($0) }
        } else {
            let keystone = try? JSONDecoder().decode(KeystoneResponse.self, from: response.result.body)
            token = header("X-Subject-Token") ?? keystone?.token?.id
            storage = keystone?.storage
            expires = keystone?.token?.expires.flatMap(Date.init(expiry:))
        }
        guard let token, token.isHeaderText, let storage = storage.flatMap(ObjectStore.Endpoint.init) else {
            return nil
        }
        return (Session(token: token, storage: storage), expires ?? .distantFuture)
    }
}

/// What Keystone responds with, in both of its versions.
private struct KeystoneResponse: Decodable {
    struct Token: Decodable {
        /// In a header in version 3.
        let id: String?
        let expires: String?
        let catalog: [Service]?

        enum CodingKeys: String, CodingKey { case id, expires, catalog, expiresAt = "expires_at" }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            id = try fields.decodeIfPresent(String.self, forKey: .id)
            expires =
                try fields.decodeIfPresent(String.self, forKey: .expires)
                ?? fields.decodeIfPresent(String.self, forKey: .expiresAt)
            catalog = try fields.decodeIfPresent([Service].self, forKey: .catalog)
        }
    }

    struct Access: Decodable {
        let token: Token
        let serviceCatalog: [Service]
    }

    struct Service: Decodable {
        let type: String
        let endpoints: [Place]
    }

    struct Place: Decodable {
        /// In version 2.
        let publicURL: String?
        let interface: String?
        let url: String?

        var publicAddress: String? { publicURL ?? (interface == "public" ? url : nil) }
    }

    private let inVersion2: Access?
    private let inVersion3: Token?

    enum CodingKeys: String, CodingKey { case inVersion2 = "access", inVersion3 = "token" }

    var token: Token? { inVersion3 ?? inVersion2?.token }

    /// The first public URL of a store of objects.
    var storage: String? {
        let services = inVersion3?.catalog ?? inVersion2?.serviceCatalog ?? []
        return services.first { $0.type == "object-store" }?.endpoints.lazy.compactMap(\.publicAddress).first
    }
}
