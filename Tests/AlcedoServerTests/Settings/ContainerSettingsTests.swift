import Foundation
import Testing

@testable import AlcedoServer

struct `Settings of containers` {
    private static let azureTexts = ["IMGPROXY_USE_ABS": "true", "IMGPROXY_ABS_NAME": "pictures1"]
    private static let swiftTexts = [
        "IMGPROXY_USE_SWIFT": "true", "IMGPROXY_SWIFT_USERNAME": "u", "IMGPROXY_SWIFT_API_KEY": "hunter2",
        "IMGPROXY_SWIFT_AUTH_URL": "https://swift.test/auth/v1.0",
    ]

    private func azure(_ own: [String: String]) throws -> AzureStore {
        let settings = try SettingTexts(environment: Self.azureTexts.merging(own) { $1 }).settings()
        return try #require(settings.sources.stores[.abs] as? AzureStore)
    }

    private func swift(_ own: [String: String]) throws -> SwiftAccount {
        let settings = try SettingTexts(environment: Self.swiftTexts.merging(own) { $1 }).settings()
        return try #require(settings.sources.stores[.swift] as? SwiftStore).account.service
    }

    @Test func `settings of containers name an account of Azure and its key`() throws {
        let store = try azure(["IMGPROXY_ABS_KEY": "aHVudGVyMg=="])
        #expect(store.endpoint.text == "https://pictures1.blob.core.windows.net")
        guard case .key(let signature) = store.authorization else {
            Issue.record("the key is not used")
            return
        }
        #expect(signature.account == "pictures1" && signature.key == Array("hunter2".utf8))
        let own = try azure(["ALCEDO_ABS_ENDPOINT": "http://127.0.0.1:10000/pictures1/"])
        #expect(own.endpoint.text == "http://127.0.0.1:10000/pictures1")
    }

    @Test func `settings of containers name an identity in Azure`() throws {
        func identity(_ own: [String: String]) throws -> AzureIdentity? {
            guard case .identity(let identity) = try azure(own).authorization else { return nil }
            return identity.service
        }
        let machine = try #require(try identity(["AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "t"]))
        #expect(machine.kind == .machine() && machine.clientID == "c")
        let place = try #require(ObjectStore.Endpoint("http://localhost:42356/msi/token"))
        let app = ["IDENTITY_ENDPOINT": place.text, "IDENTITY_HEADER": "hunter2"]
        #expect(try identity(app)?.kind == .app(place, secret: "hunter2"))
        // Of Azure Arc, which has no header.
        #expect(try identity(["IDENTITY_ENDPOINT": place.text])?.kind == .machine())
        let principal = [
            "AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "t.test", "AZURE_CLIENT_SECRET": "hunter2",
        ]
        let login = ObjectStore.Endpoint(host: "login.microsoftonline.com")
        #expect(
            try identity(app.merging(principal) { $1 })?.kind
                == .principal(tenant: "t.test", secret: "hunter2", authority: login))
        let pod = [
            "AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "t", "AZURE_FEDERATED_TOKEN_FILE": "/run/token",
        ]
        #expect(
            try identity(pod)?.kind == .principal(tenant: "t", file: "/run/token", authority: login))
        let china = ["AZURE_AUTHORITY_HOST": "https://login.chinacloudapi.cn/"]
        #expect(
            try identity(china.merging(principal) { $1 })?.kind
                == .principal(
                    tenant: "t.test", secret: "hunter2", authority: .init(host: "login.chinacloudapi.cn")))
    }

    @Test(arguments: [
        ("https://swift.test/auth/v1.0", "", SwiftAccount.Version.v1),
        ("https://swift.test/v2.0/", "", .v2), ("https://swift.test/identity/v3", "0", .v3),
        ("https://swift.test:5000", "3", .v3), ("https://swift.test/v3", "2", .v2),
    ])
    func `settings of containers name a user of Swift`(
        url: String, number: String, version: SwiftAccount.Version
    ) throws {
        let account = try swift([
            "IMGPROXY_SWIFT_AUTH_URL": url, "IMGPROXY_SWIFT_AUTH_VERSION": number,
            "IMGPROXY_SWIFT_TENANT": "p", "IMGPROXY_SWIFT_DOMAIN": "d", "IMGPROXY_SWIFT_TIMEOUT_SECONDS": "7",
            "IMGPROXY_SWIFT_CONNECT_TIMEOUT_SECONDS": "3",
        ])
        #expect(account.version == version && url.hasPrefix(account.address.text))
        #expect(account.user == "u" && account.key == "hunter2")
        #expect(account.tenant == "p" && account.domain == "d")
        #expect(account.limits == .init(connect: .seconds(3), data: .seconds(7)))
        #expect(try swift([:]).limits == .init(connect: .seconds(10), data: .seconds(60)))
    }

    @Test func `settings of containers are off by default, and limit containers`() throws {
        let none = try SettingTexts(environment: [:]).settings()
        #expect(none.urls.buckets.isEmpty && none.sources.stores.isEmpty)
        let own = [
            "IMGPROXY_ABS_ALLOWED_BUCKETS": "a,b", "IMGPROXY_ABS_DENIED_BUCKETS": "b",
            "IMGPROXY_SWIFT_ALLOWED_BUCKETS": "c,d", "IMGPROXY_SWIFT_DENIED_BUCKETS": "d",
        ]
        let all = Self.azureTexts.merging(Self.swiftTexts) { $1 }.merging(own) { $1 }
        let buckets = try SettingTexts(environment: all).settings().urls.buckets
        #expect(["a", "b", "c"].map { buckets[.abs]?.allows($0) } == [true, false, false])
        #expect(["c", "d", "a"].map { buckets[.swift]?.allows($0) } == [true, false, false])
    }

    @Test(arguments: [
        (["ALCEDO_USE_ABS": "1"], "ALCEDO_USE_ABS needs ALCEDO_ABS_NAME"),
        (["ALCEDO_ABS_NAME": "a.b"], "ALCEDO_ABS_NAME takes the name of an account"),
        (["ALCEDO_ABS_KEY": "hunter2"], "ALCEDO_ABS_KEY takes the key of an account, which is in base64"),
        (
            ["ALCEDO_ABS_ENDPOINT": "https://a.test/?sig=hunter2"],
            "ALCEDO_ABS_ENDPOINT takes an http or https"
        ),
        (
            azureTexts.merging(["AZURE_CLIENT_SECRET": "hunter2"]) { $1 },
            "AZURE_CLIENT_SECRET needs AZURE_CLIENT_ID and AZURE_TENANT_ID"
        ),
        (
            azureTexts.merging(["AZURE_FEDERATED_TOKEN_FILE": "/run/token"]) { $1 },
            "AZURE_FEDERATED_TOKEN_FILE needs AZURE_CLIENT_ID and AZURE_TENANT_ID"
        ),
        (["AZURE_TENANT_ID": "a/b"], "AZURE_TENANT_ID takes the ID"),
        (
            ["ALCEDO_USE_SWIFT": "1"],
            "ALCEDO_USE_SWIFT needs ALCEDO_SWIFT_AUTH_URL, ALCEDO_SWIFT_USERNAME and ALCEDO_SWIFT_API_KEY"
        ),
        (
            swiftTexts.merging(["IMGPROXY_SWIFT_AUTH_URL": "https://a.test/video"]) { $1 },
            "IMGPROXY_SWIFT_AUTH_URL names no version, such as /v3: set ALCEDO_SWIFT_AUTH_VERSION"
        ),
        (
            swiftTexts.merging(["IMGPROXY_SWIFT_API_KEY": "hunter 2"]) { $1 },
            "IMGPROXY_SWIFT_USERNAME and IMGPROXY_SWIFT_API_KEY take ASCII without spaces in version 1"
        ),
        (["ALCEDO_SWIFT_AUTH_VERSION": "4"], "ALCEDO_SWIFT_AUTH_VERSION takes a whole number from 0 to 3"),
        (["ALCEDO_SWIFT_TIMEOUT_SECONDS": "0"], "ALCEDO_SWIFT_TIMEOUT_SECONDS takes a whole number from 1"),
    ])
    func `settings of containers that are wrong stop the start, and show no secret`(
        own: [String: String], start: String
    ) {
        let failure = #expect(throws: SettingFailure.self) {
            try SettingTexts(environment: own).settings()
        }
        let text = failure?.text ?? ""
        #expect(text.hasPrefix(start) && !text.contains("hunter"), "\(text)")
    }

    @Test func `settings of containers that are secret are never shown`() throws {
        let own = [
            "ALCEDO_ABS_KEY": "aHVudGVyMg==", "AZURE_CLIENT_SECRET": "hunter2", "IDENTITY_HEADER": "hunter2",
        ]
        let listing = try SettingTexts(environment: Self.swiftTexts.merging(own) { $1 }).listing
        #expect(!listing.contains("hunter2") && !listing.contains("aHVudGVyMg"))
        #expect(listing.contains("ALCEDO_SWIFT_API_KEY=(secret)"))
    }
}
