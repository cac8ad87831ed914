extension Setting {
    static let objectStores: [Setting] = [
        Setting("USE_S3", "false", "whether s3://BUCKET/KEY sources are loaded") {
            $0.unread.stores[.s3, default: UnreadStore()].isOn = try truth($1)
        },
        Setting("S3_REGION", "", "the region of their buckets; AWS_REGION or us-west-1 by default") {
            $0.unread.stores[.s3, default: UnreadStore()].region = try region($1)
        },
        Setting("S3_ENDPOINT", "", "where they are, such as http://127.0.0.1:9000; AWS by default") {
            $0.unread.stores[.s3, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting(
            "S3_ENDPOINT_USE_PATH_STYLE", "true",
            "whether the bucket is in the path of the endpoint's URLs, and not in front of its host"
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].usesPathStyle = try truth($1)
        },
        Setting("S3_ALLOWED_BUCKETS", "", "names of the buckets that URLs may use, separated by commas") {
            $0.unread.stores[.s3, default: UnreadStore()].buckets.allowed = Set(list($1))
        },
        Setting("S3_DENIED_BUCKETS", "", "those that they may not use") {
            $0.unread.stores[.s3, default: UnreadStore()].buckets.denied = Set(list($1))
        },
        Setting("AWS_REGION", "", "the region, unless S3_REGION is set", isCommon: true) {
            $0.unread.region = try region($1)
        },
        Setting(
            "AWS_ACCESS_KEY_ID", "", "the name of the key that reads their objects", isSecret: true,
            isCommon: true
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.keyID = try headerText($1)
        },
        Setting("AWS_SECRET_ACCESS_KEY", "", "that key", isSecret: true, isCommon: true) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.secret = $1
        },
        Setting(
            "AWS_SESSION_TOKEN", "", "what belongs to the key if it is a temporary one", isSecret: true,
            isCommon: true
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.sessionToken = try headerText($1)
        },
        Setting("USE_GCS", "false", "whether gs://BUCKET/KEY sources are loaded") {
            $0.unread.stores[.gs, default: UnreadStore()].isOn = try truth($1)
        },
        Setting(
            "GCS_ENDPOINT", "",
            "the S3-compatible interface that has them; that of Google Cloud Storage by default"
        ) {
            $0.unread.stores[.gs, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting("GCS_ALLOWED_BUCKETS", "", "names of the buckets that URLs may use, separated by commas") {
            $0.unread.stores[.gs, default: UnreadStore()].buckets.allowed = Set(list($1))
        },
        Setting("GCS_DENIED_BUCKETS", "", "those that they may not use") {
            $0.unread.stores[.gs, default: UnreadStore()].buckets.denied = Set(list($1))
        },
        Setting(
            "GCS_ACCESS_KEY_ID", "", "the access ID of the HMAC key that reads their objects", isSecret: true,
            isOwn: true
        ) {
            $0.unread.stores[.gs, default: UnreadStore()].credentials.keyID = try headerText($1)
        },
        Setting("GCS_SECRET_ACCESS_KEY", "", "the secret of that key", isSecret: true, isOwn: true) {
            $0.unread.stores[.gs, default: UnreadStore()].credentials.secret = $1
        },
    ]

    private static func endpoint(_ text: String) throws(Rejected) -> ObjectStore.Endpoint {
        guard let endpoint = ObjectStore.Endpoint(text) else {
            throw Rejected("an http or https URL without user, password and query")
        }
        return endpoint
    }

    private static func region(_ text: String) throws(Rejected) -> String {
        guard ObjectStore.isRegion(text) else { throw Rejected("a region such as eu-central-1") }
        return text
    }

    private static func headerText(_ text: String) throws(Rejected) -> String {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Rejected("a text of ASCII characters without spaces")
        }
        return text
    }
}

/// The texts about one object store.
struct UnreadStore: Sendable {
    var isOn = false
    var region: String?
    var endpoint: ObjectStore.Endpoint?
    var usesPathStyle = true
    var buckets = BucketRules()
    var credentials = AWSCredentials()
}

extension SettingTexts {
    /// Sets the stores whose settings are known by now.
    func setObjectStores(_ settings: inout ServerSettings) throws(SettingFailure) {
        for (scheme, store) in settings.unread.stores where store.isOn {
            let (use, key, secret) =
                scheme == .s3
                ? ("USE_S3", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
                : ("USE_GCS", "GCS_ACCESS_KEY_ID", "GCS_SECRET_ACCESS_KEY")
            guard !store.credentials.keyID.isEmpty, !store.credentials.secret.isEmpty else {
                throw SettingFailure(
                    "\(name(of: use)) needs \(key) and \(secret), which sign requests; "
                        + "public buckets have https addresses")
            }
            let region = store.region ?? (scheme == .s3 ? settings.unread.region ?? "us-west-1" : "auto")
            settings.urls.buckets[scheme] = store.buckets
            settings.sources.stores[scheme] = ObjectStore(
                credentials: store.credentials, region: region,
                endpoint: store.endpoint ?? (scheme == .gs ? .google : nil),
                usesPathStyle: store.usesPathStyle)
        }
    }
}
