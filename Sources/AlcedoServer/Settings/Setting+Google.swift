import Foundation

extension Setting {
    static let google: [Setting] = [
        Setting("USE_GCS", "false", "whether gs://BUCKET/KEY sources are loaded") {
            $0.unread.stores[.gs, default: UnreadStore()].isOn = try truth($1)
        },
        Setting(
            "GCS_ENDPOINT", "",
            "the S3-compatible endpoint; Google Cloud Storage by default"
        ) {
            $0.unread.stores[.gs, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting("GCS_ALLOWED_BUCKETS", "", "names of the buckets that URLs may use, separated by commas") {
            $0.unread.stores[.gs, default: UnreadStore()].buckets.allowed = Set(try list($1))
        },
        Setting("GCS_DENIED_BUCKETS", "", "names of the buckets that URLs may not use, separated by commas") {
            $0.unread.stores[.gs, default: UnreadStore()].buckets.denied = Set(try list($1))
        },
        Setting(
            "GCS_ACCESS_KEY_ID", "", "the access ID of the HMAC key for Google Cloud Storage", isSecret: true,
            isOwn: true
        ) {
            $0.unread.stores[.gs, default: UnreadStore()].credentials.keyID = try headerText($1)
        },
        Setting("GCS_SECRET_ACCESS_KEY", "", "the secret of the HMAC key", isSecret: true, isOwn: true) {
            $0.unread.stores[.gs, default: UnreadStore()].credentials.secret = $1
        },
        Setting(
            "GCS_KEY", "", "the key of a service account for Google Cloud Storage, as JSON", isSecret: true
        ) {
            $0.unread.google.key = try googleKey($1)
        },
        Setting(
            "GOOGLE_APPLICATION_CREDENTIALS", "",
            "the file with the key of a service account, if GCS_KEY is not set", isCommon: true
        ) {
            guard let text = try? String(contentsOfFile: $1, encoding: .utf8), let key = GoogleKey(text)
            else {
                throw Rejected("a file with the key of a service account, as JSON")
            }
            $0.unread.google.keyOfFile = key
        },
        Setting(
            "GCE_METADATA_HOST", "metadata.google.internal",
            "the host where the machine gets tokens, if no key is set", isCommon: true
        ) {
            $0.unread.google.machineService = try endpoint("http://\($1)")
        },
    ]

    static func googleKey(_ text: String) throws(Rejected) -> GoogleKey {
        guard let key = GoogleKey(text) else {
            throw Rejected("the key of a service account, as JSON; public buckets have https addresses")
        }
        return key
    }
}

/// The texts about Google's cloud.
struct UnreadGoogle: Sendable {
    var key: GoogleKey?
    var keyOfFile: GoogleKey?
    var machineService = ObjectStore.Endpoint.googleMachine
}

extension SettingTexts {
    /// An HMAC key, or what gives tokens: a service account by its key, or that of the machine.
    func googleAuthorization(
        _ texts: UnreadTexts, for setting: String, hasEndpoint: Bool, writes: Bool
    ) throws(SettingFailure) -> ObjectStore.Authorization {
        let own = texts.stores[.gs]?.credentials ?? AWSCredentials()
        if !own.keyID.isEmpty, !own.secret.isEmpty { return .keys(.own(own)) }
        let needed = "GCS_ACCESS_KEY_ID and GCS_SECRET_ACCESS_KEY"
        guard own.keyID.isEmpty, own.secret.isEmpty else {
            throw SettingFailure("\(name(of: setting)) needs both \(needed), or neither")
        }
        let kind: GoogleIdentity.Kind
        if let key = (writes ? texts.resultBucket.googleKey : nil) ?? texts.google.key
            ?? texts.google.keyOfFile
        {
            kind = .account(key)
        } else if !hasEndpoint {
            kind = .machine(texts.google.machineService)
        } else {
            // A service elsewhere knows nothing of the machines of Google: there, no key is a mistake.
            throw SettingFailure(
                "\(name(of: setting)) needs GCS_KEY, or \(needed); public buckets have https addresses")
        }
        return .google(TemporaryCredential(GoogleIdentity(kind: kind, writes: writes)))
    }
}
