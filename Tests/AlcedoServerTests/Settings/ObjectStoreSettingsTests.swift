import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

struct `Settings of object stores` {
    private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hunter2"]
    private let date = Date(timeIntervalSince1970: 0)

    private func settings(_ own: [String: String], keys: [String: String] = Self.keys) throws
        -> ServerSettings
    {
        try SettingTexts(environment: keys.merging(own) { $1 }).settings()
    }

    /// The URL of `s3://BUCKET/a%20b?v` and the region that its signature is for.
    private func request(
        _ own: [String: String], bucket: String = "img", _ scheme: ObjectAddress.Scheme = .s3
    ) throws -> (url: String, region: Substring?) {
        let settings = try settings(own)
        var compared: [UInt8] = []
        let object = try ObjectAddress(scheme, Array("\(bucket)/a%20b?v".utf8)[...], compared: &compared)
        let store = try #require(settings.sources.stores[scheme] as? ObjectStore)
        let request = try #require(store.request(for: object, .signing, at: date))
        let authorization = request.headers.first { $0.name == "Authorization" }?.value
        return (request.url, authorization?.split(separator: "/")[2])
    }

    /// Settings and a bucket, and the address and the region.
    private static let addresses: [([String: String], String, String, String)] = [
        ([:], "img", "https://img.s3.us-west-1.amazonaws.com/a%20b?versionId=v", "us-west-1"),
        (
            ["AWS_REGION": "eu-west-3"], "img", "https://img.s3.eu-west-3.amazonaws.com/a%20b?versionId=v",
            "eu-west-3"
        ),
        (
            ["AWS_REGION": "eu-west-3", "ALCEDO_S3_REGION": "cn-north-1"], "my.img",
            "https://s3.cn-north-1.amazonaws.com.cn/my.img/a%20b?versionId=v", "cn-north-1"
        ),
        ([:], "My_img", "https://s3.us-west-1.amazonaws.com/My_img/a%20b?versionId=v", "us-west-1"),
        (
            ["IMGPROXY_S3_ENDPOINT": "http://MinIO.test:9000/"], "img",
            "http://minio.test:9000/img/a%20b?versionId=v", "us-west-1"
        ),
        (
            ["ALCEDO_S3_ENDPOINT": "https://s.test:443/x/s3", "ALCEDO_S3_ENDPOINT_USE_PATH_STYLE": "false"],
            "img",
            "https://img.s.test/x/s3/a%20b?versionId=v", "us-west-1"
        ),
        (
            ["ALCEDO_S3_ENDPOINT": "http://[::1]:9000"], "img", "http://[::1]:9000/img/a%20b?versionId=v",
            "us-west-1"
        ),
    ]

    @Test(arguments: addresses)
    func `settings of object stores give the address`(
        own: [String: String], bucket: String, url: String, region: String
    ) throws {
        let request = try request(own.merging(["IMGPROXY_USE_S3": "true"]) { $1 }, bucket: bucket)
        #expect(request.url == url && request.region == region[...])
    }

    @Test func `settings of object stores give that of Google Cloud Storage`() throws {
        let own = [
            "IMGPROXY_USE_GCS": "1", "ALCEDO_GCS_ACCESS_KEY_ID": "GOOG1",
            "ALCEDO_GCS_SECRET_ACCESS_KEY": "hunter2",
        ]
        let request = try request(own, .gs)
        #expect(
            request.url == "https://storage.googleapis.com/img/a%20b?generation=v" && request.region == "auto"
        )
        #expect(try settings(own).sources.stores[.s3] == nil)
        let elsewhere = ["ALCEDO_USE_GCS": "1", "ALCEDO_GCS_ENDPOINT": "http://a.test"]
        #expect(throws: SettingFailure.self) { try settings(elsewhere) }
        #expect(throws: SettingFailure.self) {
            try settings(own.filter { $0.key != "ALCEDO_GCS_ACCESS_KEY_ID" })
        }
    }

    @Test func `settings of object stores are off by default, and limit buckets`() throws {
        #expect(try settings([:]).urls.buckets.isEmpty && settings([:]).sources.stores.isEmpty)
        let limited = try settings([
            "ALCEDO_USE_S3": "true", "IMGPROXY_S3_ALLOWED_BUCKETS": "a, b", "ALCEDO_S3_DENIED_BUCKETS": "b",
        ])
        let buckets = try #require(limited.urls.buckets[.s3])
        #expect(buckets.allows("a") && !buckets.allows("b") && !buckets.allows("c"))
    }

    @Test(arguments: [
        ("ALCEDO_S3_ENDPOINT", "minio:9000"), ("ALCEDO_S3_ENDPOINT", "https://u:hunter2@s.test"),
        ("ALCEDO_S3_ENDPOINT", "https://s.test?x"), ("ALCEDO_S3_ENDPOINT", "ftp://s.test"),
        ("ALCEDO_S3_REGION", "a.test/"), ("AWS_REGION", "a b"), ("AWS_ACCESS_KEY_ID", "a b"),
        ("AWS_SESSION_TOKEN", "hunter2\nx"), ("ALCEDO_USE_S3", "maybe"),
    ])
    func `settings of object stores that are wrong stop the start`(name: String, value: String) throws {
        let failure = #expect(throws: SettingFailure.self) {
            try settings(["ALCEDO_USE_S3": "true"].merging([name: value]) { $1 })
        }
        let text = failure?.text ?? ""
        #expect(text.hasPrefix("\(name) takes ") && !text.contains("hunter2"), "\(text)")
    }

    @Test func `settings of object stores need a key, which is never shown`() throws {
        for missing in Self.keys.keys {
            let failure = #expect(throws: SettingFailure.self) {
                try settings(["ALCEDO_USE_S3": "true"], keys: Self.keys.filter { $0.key != missing })
            }
            #expect(failure?.text.contains(missing) == true)
        }
        // Nobody there gives a key.
        for own in [["ALCEDO_S3_ENDPOINT": "http://a.test"], ["AWS_EC2_METADATA_DISABLED": "true"]] {
            let failure = #expect(throws: SettingFailure.self) {
                try settings(own.merging(["ALCEDO_USE_S3": "true"]) { $1 }, keys: [:])
            }
            #expect(failure?.text.hasPrefix("ALCEDO_USE_S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET") == true)
        }
        let texts = try SettingTexts(environment: Self.keys.merging(["AWS_SESSION_TOKEN": "hunter2"]) { $1 })
        #expect(
            texts.listing.contains("AWS_SECRET_ACCESS_KEY=(secret)") && !texts.listing.contains("hunter2"))
        #expect(!texts.listing.contains("AKID") && texts.warnings.isEmpty)
    }

    @Test func `settings of object stores name an identity in AWS, in the order of AWS`() throws {
        func identity(_ own: [String: String], _ setting: String = "ALCEDO_USE_S3") throws -> AWSIdentity.Kind
        {
            let settings = try settings(own.merging([setting: "true"]) { $1 }, keys: [:])
            let store = try #require(settings.sources.stores[.s3] as? ObjectStore)
            guard case .keys(.identity(let identity)) = store.authorization else {
                throw SettingFailure("none")
            }
            return identity.service.kind
        }
        var own = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1338"]
        #expect(try identity([:]) == .machine())
        #expect(try identity(own) == .machine(ObjectStore.Endpoint(scheme: "http", host: "127.0.0.1:1338")))
        own["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials"
        own["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/run/token"
        let pod = try #require(ObjectStore.Endpoint("http://169.254.170.23/v1/credentials"))
        #expect(try identity(own) == .container(pod, file: "/run/token"))
        own["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/1-2"
        own["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = nil
        own["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "hunter2"
        let task = try #require(ObjectStore.Endpoint("http://169.254.170.2/v2/credentials/1-2"))
        #expect(try identity(own) == .container(task, token: "hunter2"))
        #expect(try !SettingTexts(environment: own).listing.contains("hunter2"))
        own["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/run/eks"
        #expect(throws: SettingFailure.self) { try identity(own) }
        own["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/pod"
        own["AWS_REGION"] = "eu-west-3"
        #expect(
            try identity(own)
                == .webIdentity(
                    file: "/run/eks", role: "arn:aws:iam::1:role/pod", session: "alcedo",
                    service: .aws("sts", region: "eu-west-3")))
    }

    @Test func `settings of object stores name an identity in Google's cloud`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appending(path: "key.json")
        let secret = try await TestKey(in: folder)
        let (first, second) = (
            try secret.googleAccount(email: "file@p.test"), try secret.googleAccount(email: "own@p.test")
        )
        try Data(first.utf8).write(to: file)
        func identity(_ own: [String: String], _ setting: String = "ALCEDO_USE_GCS") throws -> GoogleIdentity
        {
            let settings = try settings(own.merging([setting: "1"]) { $1 })
            let store = try #require(settings.sources.stores[.gs] as? ObjectStore)
            guard case .google(let identity) = store.authorization else { throw SettingFailure("none") }
            return identity.service
        }
        #expect(try identity([:]).kind == .machine() && identity([:]).writes == false)
        var own = ["GCE_METADATA_HOST": "127.0.0.1:1338"]
        #expect(
            try identity(own).kind == .machine(ObjectStore.Endpoint(scheme: "http", host: "127.0.0.1:1338")))
        own["GOOGLE_APPLICATION_CREDENTIALS"] = file.path()
        #expect(try identity(own).kind == .account(#require(GoogleKey(first))))
        own["IMGPROXY_GCS_KEY"] = second
        #expect(try identity(own).kind == .account(#require(GoogleKey(second))))
        #expect(try !SettingTexts(environment: own).listing.contains("PRIVATE KEY"))
        own["ALCEDO_CACHE_USE"] = "gcs"
        own["ALCEDO_CACHE_BUCKET"] = "img"
        own["IMGPROXY_CACHE_GCS_KEY"] = try secret.googleAccount(email: "results@p.test")
        let place = try #require(try settings(own).cache.bucket)
        guard case .google(let results) = place.store.authorization,
            case .account(let account) = results.service.kind
        else { throw SettingFailure("none") }
        #expect(account.email == "results@p.test" && results.service.writes)
    }

    @Test(arguments: [
        "-", "{}", "{\"type\": \"authorized_user\", \"client_email\": \"a\", \"private_key\": \"hunter2\"}",
        "{\"type\": \"service_account\", \"client_email\": \"a\", \"private_key\": \"hunter2\"}",
    ])
    func `settings of object stores reject what is no key of a service account`(key: String) throws {
        let failure = #expect(throws: SettingFailure.self) {
            try settings(["ALCEDO_USE_GCS": "1", "ALCEDO_GCS_KEY": key])
        }
        let text = failure?.text ?? ""
        #expect(
            text.hasPrefix("ALCEDO_GCS_KEY takes the key of a service account") && !text.contains("hunter2"))
    }

    @Test func `settings of object stores name the bucket of results`() throws {
        let own = [
            "IMGPROXY_CACHE_USE": "s3", "IMGPROXY_CACHE_BUCKET": "img", "ALCEDO_CACHE_PATH_PREFIX": "/a b/c",
            "ALCEDO_CACHE_S3_REGION": "eu-west-3", "ALCEDO_CACHE_SECRET": String(repeating: "0f", count: 16),
        ]
        let settings = try settings(own)
        let place = try #require(settings.cache.bucket)
        #expect(place.scheme == .s3 && place.bucket == "img" && place.prefix == "a%20b/c/")
        #expect(place.secret == Array(repeating: 15, count: 16))
        let object = ObjectAddress(scheme: .s3, bucket: place.bucket, key: place.prefix + "0", version: nil)
        let request = try #require(place.store.request("PUT", for: object, .signing, at: date))
        #expect(request.url == "https://img.s3.eu-west-3.amazonaws.com/a%20b/c/0")
        #expect(settings.sources.stores.isEmpty && settings.urls.buckets.isEmpty)
        #expect(try self.settings([:]).cache.bucket == nil)
    }

    @Test func `settings of object stores name a bucket of results at Google`() throws {
        let own = [
            "ALCEDO_CACHE_USE": "gcs", "ALCEDO_CACHE_BUCKET": "img", "ALCEDO_GCS_ACCESS_KEY_ID": "GOOG1",
            "ALCEDO_GCS_SECRET_ACCESS_KEY": "hunter2",
        ]
        let place = try #require(try settings(own).cache.bucket)
        let object = ObjectAddress(scheme: .gs, bucket: "img", key: "0", version: nil)
        #expect(
            place.store.request(for: object, .signing, at: date)?.url
                == "https://storage.googleapis.com/img/0")
    }

    @Test(arguments: [
        (["ALCEDO_CACHE_USE": "s3"], "ALCEDO_CACHE_USE needs ALCEDO_CACHE_BUCKET"),
        (["ALCEDO_CACHE_BUCKET": "img"], "ALCEDO_CACHE_BUCKET needs ALCEDO_CACHE_USE"),
        (
            [
                "ALCEDO_CACHE_USE": "gcs", "ALCEDO_CACHE_BUCKET": "img",
                "ALCEDO_CACHE_GCS_ENDPOINT": "http://a.test",
            ],
            "ALCEDO_CACHE_USE needs GCS_KEY, or GCS_ACCESS_KEY_ID"
        ),
        (["ALCEDO_CACHE_USE": "fs"], "ALCEDO_CACHE_USE takes s3 or gcs; CACHE_DISK"),
        (["ALCEDO_CACHE_BUCKET": "a/b"], "ALCEDO_CACHE_BUCKET takes the name of a bucket"),
        (["ALCEDO_CACHE_PATH_PREFIX": "a/../b"], "ALCEDO_CACHE_PATH_PREFIX takes a path"),
        (
            [
                "ALCEDO_CACHE_USE": "s3", "ALCEDO_CACHE_BUCKET": "img",
                "IMGPROXY_CACHE_S3_ASSUME_ROLE_EXTERNAL_ID": "a",
            ],
            "IMGPROXY_CACHE_S3_ASSUME_ROLE_EXTERNAL_ID needs ALCEDO_CACHE_S3_ASSUME_ROLE_ARN"
        ),
        (["ALCEDO_S3_ASSUME_ROLE_ARN": "reader"], "ALCEDO_S3_ASSUME_ROLE_ARN takes a role such as"),
        (["ALCEDO_CACHE_SECRET": "0f"], "ALCEDO_CACHE_SECRET takes at least 32"),
    ])
    func `settings of a bucket of results that are wrong stop the start`(own: [String: String], start: String)
    {
        let failure = #expect(throws: SettingFailure.self) { try settings(own) }
        #expect(failure?.text.hasPrefix(start) == true, "\(failure?.text ?? "")")
    }
}

extension AWSCredentials {
    fileprivate static let signing = AWSCredentials(keyID: "AKID", secret: "hunter2")
}
