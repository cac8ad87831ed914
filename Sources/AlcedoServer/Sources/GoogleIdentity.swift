import AlcedoTransport
import CCrypto
import Foundation

/// What gets tokens for Google Cloud Storage without an HMAC key.
struct GoogleIdentity: CredentialService {
    enum Kind: Sendable, Equatable {
        /// A service account, by its key.
        case account(GoogleKey)

        /// The service account of the machine, or of an account in Kubernetes.
        case machine(ObjectStore.Endpoint = .googleMachine)
    }

    private static let machinePath = "/computeMetadata/v1/instance/service-accounts/default/token"

    let kind: Kind

    /// Whether a token for a service account may change objects; that of a machine may do what the machine may.
    var writes = false

    /// For a request.
    var time = Duration.seconds(10)

    var failure: String {
        switch kind {
        case .account(let key): "the account \(key.email) gets no token for Google Cloud Storage"
        case .machine:
            "GCS_KEY and GCS_ACCESS_KEY_ID are not set, and no account of this machine gives a token for "
                + "Google Cloud Storage"
        }
    }

    // Outside of Google's cloud nobody is there: requests should fail with that reason, not with their own timeout.
    var timeouts: TransportTimeouts { .all(time, connect: time / 4) }

    func request(at date: Date, by _: any Transport) throws -> TransportRequest {
        switch kind {
        case .account(let key):
            let scope = writes ? "read_write" : "read_only"
            let form = ObjectAddress.query([
                (
                    "assertion",
                    try key.assertion(
                        scope: "https://www.googleapis.com/auth/devstorage.\(scope)", at: date)
                ),
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
            ])
            return try .form(form, to: key.tokens.text)
        case .machine(let place):
            return try TransportRequest(address: place.text + Self.machinePath) {
                $0.headers = [("Metadata-Flavor", "Google")]
                // The service is on this machine, where no proxy is.
                $0.proxy = .none
            }
        }
    }

    func credential(
        in response: RemoteSource.Response, at now: Date
    ) -> (value: String, expires: Date)? {
        guard let token = try? JSONDecoder().decode(Token.self, from: response.result.body),
            token.access_token.isHeaderText
        else { return nil }
        return (token.access_token, now.addingTimeInterval(token.expires_in))
    }

    private struct Token: Decodable {
        let access_token: String
        let expires_in: Double
    }
}

/// The key of a service account, from the file in JSON that Google gives.
struct GoogleKey: Sendable, Equatable {
    let email: String
    let id: String

    /// Where tokens are requested.
    let tokens: ObjectStore.Endpoint

    /// In PEM.
    private let secret: [UInt8]

    /// Nil if the text is no such key.
    init?(_ json: String) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(json.utf8)),
            file.type == "service_account",
            let tokens = ObjectStore.Endpoint(file.token_uri ?? "https://oauth2.googleapis.com/token")
        else { return nil }
        (email, id, secret) = (file.client_email, file.private_key_id ?? "", Array(file.private_key.utf8))
        self.tokens = tokens
        guard signature(of: []) != nil else { return nil }
    }

    private struct File: Decodable {
        let type, client_email, private_key: String
        let private_key_id, token_uri: String?
    }

    /// A signed statement that the account wants a token (RFC 7523).
    func assertion(scope: String, at date: Date) throws -> String {
        let now = Int(date.timeIntervalSince1970)
        let header = ["alg": "RS256", "kid": id, "typ": "JWT"]
        let claims: [String: Any] = [
            "aud": tokens.text, "exp": now + 3600, "iat": now, "iss": email, "scope": scope,
        ]
        let text =
            try Self.part(JSONSerialization.data(withJSONObject: header, options: .sortedKeys)) + "."
            + Self.part(JSONSerialization.data(withJSONObject: claims, options: .sortedKeys))
        guard let signature = signature(of: Array(text.utf8)) else {
            throw CredentialFailure("libcrypto could not sign the request for it")
        }
        return text + "." + Self.part(Data(signature))
    }

    /// In the alphabet for URLs, without padding (RFC 4648, section 5).
    private static func part(_ data: Data) -> String {
        let text = data.base64EncodedString().utf8.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256; nil if the key is none for it.
    private func signature(of message: [UInt8]) -> [UInt8]? {
        MessageCode.prepare()
        guard let file = BIO_new_mem_buf(secret, Int32(clamping: secret.count)) else { return nil }
        defer { BIO_free(file) }
        // Without a callback, libcrypto would ask for the password of an encrypted key at the terminal.
        guard let key = PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil) else { return nil }
        defer { EVP_PKEY_free(key) }
        guard EVP_PKEY_is_a(key, "RSA") == 1, let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        return Array(signature.prefix(count))
    }
}

extension ObjectStore.Endpoint {
    /// The service on each machine in Google's cloud that gives tokens.
    static let googleMachine = Self(scheme: "http", host: "metadata.google.internal")
}
