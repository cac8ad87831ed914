extension Setting {
    static let objectStores: [Setting] = s3 + aws + google

    private static let s3: [Setting] = [
        Setting("USE_S3", "false", "whether s3://BUCKET/KEY sources are loaded") {
            $0.unread.stores[.s3, default: UnreadStore()].isOn = try truth($1)
        },
        Setting("S3_REGION", "", "the region of S3 buckets; AWS_REGION or us-west-1 by default") {
            $0.unread.stores[.s3, default: UnreadStore()].region = try region($1)
        },
        Setting("S3_ENDPOINT", "", "the endpoint of S3, such as http://127.0.0.1:9000; AWS by default") {
            $0.unread.stores[.s3, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting(
            "S3_ENDPOINT_USE_PATH_STYLE", "true",
            "whether URLs have the bucket in the path instead of the host name"
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].usesPathStyle = try truth($1)
        },
        Setting("S3_ASSUME_ROLE_ARN", "", "the role to assume for reading sources") {
            $0.unread.stores[.s3, default: UnreadStore()].role.arn = try roleName($1)
        },
        Setting("S3_ASSUME_ROLE_EXTERNAL_ID", "", "the external ID that the role demands") {
            $0.unread.stores[.s3, default: UnreadStore()].role.externalID = $1
        },
        Setting("S3_ALLOWED_BUCKETS", "", "names of the buckets that URLs may use, separated by commas") {
            $0.unread.stores[.s3, default: UnreadStore()].buckets.allowed = Set(try list($1))
        },
        Setting("S3_DENIED_BUCKETS", "", "names of the buckets that URLs may not use, separated by commas") {
            $0.unread.stores[.s3, default: UnreadStore()].buckets.denied = Set(try list($1))
        },
    ]

    static let resultBucket: [Setting] = [
        Setting("CACHE_USE", "", "the object store that keeps results: s3 or gcs; none by default") {
            switch $1 {
            case "s3": $0.unread.resultBucket.scheme = .s3
            case "gcs": $0.unread.resultBucket.scheme = .gs
            case "fs": throw Rejected("s3 or gcs; CACHE_DISK and CACHE_FOLDER are for a disk")
            default: throw Rejected("s3 or gcs")
            }
        },
        Setting("CACHE_BUCKET", "", "the bucket for results") {
            guard ObjectAddress.isBucket(Array($1.utf8)[...]) else { throw Rejected("the name of a bucket") }
            $0.unread.resultBucket.bucket = $1
        },
        Setting("CACHE_PATH_PREFIX", "", "the prefix of results' keys in the bucket, such as results/") {
            $0.unread.resultBucket.prefix = try keyPrefix($1)
        },
        Setting(
            "CACHE_SECRET", "",
            "signs results in the bucket, if others may write to it; at least 32 hexadecimal digits",
            isSecret: true, isOwn: true
        ) {
            $0.unread.resultBucket.secret = try secret($1)
        },
        Setting("CACHE_S3_REGION", "", "the region of the bucket; AWS_REGION or us-west-1 by default") {
            $0.unread.resultBucket.region = try region($1)
        },
        Setting(
            "CACHE_S3_ENDPOINT", "",
            "the endpoint of the bucket, such as http://127.0.0.1:9000; AWS by default"
        ) {
            $0.unread.resultBucket.endpoints[.s3] = try endpoint($1)
        },
        Setting(
            "CACHE_S3_ENDPOINT_USE_PATH_STYLE", "true",
            "whether URLs have the bucket in the path instead of the host name"
        ) {
            $0.unread.resultBucket.usesPathStyle = try truth($1)
        },
        Setting("CACHE_S3_ASSUME_ROLE_ARN", "", "the role to assume for reading and writing results") {
            $0.unread.resultBucket.role.arn = try roleName($1)
        },
        Setting("CACHE_S3_ASSUME_ROLE_EXTERNAL_ID", "", "the external ID that the role demands") {
            $0.unread.resultBucket.role.externalID = $1
        },
        Setting(
            "CACHE_GCS_KEY", "", "the key of the service account for the bucket, as JSON; GCS_KEY by default",
            isSecret: true
        ) {
            $0.unread.resultBucket.googleKey = try googleKey($1)
        },
        Setting(
            "CACHE_GCS_ENDPOINT", "",
            "the S3-compatible endpoint of the bucket; Google Cloud Storage by default"
        ) {
            $0.unread.resultBucket.endpoints[.gs] = try endpoint($1)
        },
    ]

    /// Percent-encoded, with a slash at its end unless it is empty.
    private static func keyPrefix(_ text: String) throws(Rejected) -> String {
        let bytes = Array(text.utf8.drop { $0 == UInt8(ascii: "/") })
        guard !bytes.contains(where: \.isControl),
            !bytes.parts(by: .slash).contains(where: { $0.text == "." || $0.text == ".." })
        else { throw Rejected("a path without control characters, . and ..") }
        let prefix = ObjectAddress.encoded(bytes) { $0 == .slash }
        return prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
    }

    static func endpoint(_ text: String) throws(Rejected) -> ObjectStore.Endpoint {
        guard let endpoint = ObjectStore.Endpoint(text) else {
            throw Rejected("an http or https URL without user, password and query")
        }
        return endpoint
    }

    static func region(_ text: String) throws(Rejected) -> String {
        guard ObjectStore.isRegion(text) else { throw Rejected("a region such as eu-central-1") }
        return text
    }

    static func roleName(_ text: String) throws(Rejected) -> String {
        guard text.hasPrefix("arn:"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Rejected("a role such as arn:aws:iam::123456789012:role/reader")
        }
        return text
    }

    static func headerText(_ text: String) throws(Rejected) -> String {
        guard text.isHeaderText else {
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
    var role = AssumedRole.Settings()
}

/// The texts about the bucket of results.
struct UnreadBucket: Sendable {
    var scheme: ObjectAddress.Scheme?
    var bucket = ""
    var prefix = ""
    var secret: [UInt8] = []
    var region: String?
    var endpoints: [ObjectAddress.Scheme: ObjectStore.Endpoint] = [:]
    var googleKey: GoogleKey?
    var usesPathStyle = true
    var role = AssumedRole.Settings()
}

extension SettingTexts {
    /// Sets the stores whose settings are known by now.
    func setObjectStores(_ settings: inout ServerSettings) throws(SettingFailure) {
        let texts = settings.unread
        for (scheme, store) in texts.stores where store.isOn {
            settings.urls.buckets[scheme] = store.buckets
            settings.sources.stores[scheme] =
                switch scheme {
                case .abs: try azureStore(store, texts.azure)
                case .swift: try swiftStore(store, texts.swift)
                case .s3, .gs:
                    try objectStore(
                        scheme, texts, for: scheme.setting,
                        role: try role(store.role, texts, "S3_ASSUME_ROLE"), region: store.region,
                        endpoint: store.endpoint, usesPathStyle: store.usesPathStyle)
                }
        }
    }

    /// Sets the bucket of results whose settings are known by now.
    func setResultBucket(_ settings: inout ServerSettings) throws(SettingFailure) {
        let (texts, bucket) = (settings.unread, settings.unread.resultBucket)
        guard let scheme = bucket.scheme else {
            guard bucket.bucket.isEmpty else {
                throw SettingFailure("\(name(of: "CACHE_BUCKET")) needs \(name(of: "CACHE_USE")): s3 or gcs")
            }
            return
        }
        guard !bucket.bucket.isEmpty else {
            throw SettingFailure(
                "\(name(of: "CACHE_USE")) needs \(name(of: "CACHE_BUCKET")), which has the results")
        }
        let store = try objectStore(
            scheme, texts, for: "CACHE_USE",
            role: scheme == .s3 ? try role(bucket.role, texts, "CACHE_S3_ASSUME_ROLE") : nil,
            region: bucket.region, endpoint: bucket.endpoints[scheme], usesPathStyle: bucket.usesPathStyle,
            writes: true)
        settings.cache.bucket = ResultBucket.Place(
            store: store, scheme: scheme, bucket: bucket.bucket, prefix: bucket.prefix, secret: bucket.secret)
    }

    private func role(
        _ role: AssumedRole.Settings, _ texts: UnreadTexts, _ setting: String
    ) throws(SettingFailure) -> AssumedRole.Settings? {
        guard !role.arn.isEmpty else {
            guard role.externalID.isEmpty else {
                throw SettingFailure(
                    "\(name(of: "\(setting)_EXTERNAL_ID")) needs \(name(of: "\(setting)_ARN"))")
            }
            return nil
        }
        var role = role
        role.endpoint = texts.aws.roleService
        return role
    }

    private func objectStore(
        _ scheme: ObjectAddress.Scheme, _ texts: UnreadTexts, for setting: String,
        role: AssumedRole.Settings?, region: String?, endpoint: ObjectStore.Endpoint?, usesPathStyle: Bool,
        writes: Bool = false
    ) throws(SettingFailure) -> ObjectStore {
        guard scheme == .s3 else {
            return ObjectStore(
                try googleAuthorization(texts, for: setting, hasEndpoint: endpoint != nil, writes: writes),
                region: region ?? "auto", endpoint: endpoint ?? .google, usesPathStyle: usesPathStyle)
        }
        let region = region ?? texts.aws.region ?? "us-west-1"
        let keys = try keys(texts, for: setting, region: region, hasEndpoint: endpoint != nil)
        return ObjectStore(
            .keys(keys.assuming(role, region: region)), region: region, endpoint: endpoint,
            usesPathStyle: usesPathStyle)
    }
}
