import Foundation

extension Setting {
    static let azure: [Setting] = [
        Setting("USE_ABS", "false", "whether abs://CONTAINER/BLOB sources are loaded") {
            $0.unread.stores[.abs, default: UnreadStore()].isOn = try truth($1)
        },
        Setting("ABS_NAME", "", "the storage account in Azure") {
            guard ObjectStore.isRegion($1) else {
                throw Rejected("the name of an account, such as pictures1")
            }
            $0.unread.azure.account = $1
        },
        Setting(
            "ABS_KEY", "", "the key of the storage account; without it, the server uses its identity",
            isSecret: true
        ) {
            guard let key = Data(base64Encoded: $1), !key.isEmpty else {
                throw Rejected("the key of an account, which is in base64")
            }
            $0.unread.azure.key = Array(key)
        },
        Setting(
            "ABS_ENDPOINT", "",
            "the endpoint of the storage account, such as http://127.0.0.1:10000/NAME; https://NAME.blob.core.windows.net by default"
        ) {
            $0.unread.stores[.abs, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting("ABS_ALLOWED_BUCKETS", "", "names of the containers that URLs may use, separated by commas") {
            $0.unread.stores[.abs, default: UnreadStore()].buckets.allowed = Set(try list($1))
        },
        Setting(
            "ABS_DENIED_BUCKETS", "", "names of the containers that URLs may not use, separated by commas"
        ) {
            $0.unread.stores[.abs, default: UnreadStore()].buckets.denied = Set(try list($1))
        },
        Setting(
            "AZURE_CLIENT_ID", "",
            "the client ID of the application, or of a user-assigned managed identity", isCommon: true
        ) {
            $0.unread.azure.clientID = try headerText($1)
        },
        Setting("AZURE_TENANT_ID", "", "the tenant of the application", isCommon: true) {
            guard $1.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-.".utf8.contains($0) }) else {
                throw Rejected("the ID or a domain of a tenant")
            }
            $0.unread.azure.tenant = $1
        },
        Setting(
            "AZURE_CLIENT_SECRET", "", "the secret of the application", isSecret: true, isCommon: true
        ) {
            $0.unread.azure.clientSecret = $1
        },
        Setting(
            "AZURE_FEDERATED_TOKEN_FILE", "",
            "the file with the token of an account in Kubernetes that is the application; Azure sets it",
            isCommon: true
        ) {
            $0.unread.azure.tokenFile = $1
        },
        Setting(
            "AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com",
            "the URL where the application gets tokens",
            isCommon: true
        ) {
            $0.unread.azure.authority = try endpoint($1)
        },
        Setting(
            "IDENTITY_ENDPOINT", "",
            "the URL for tokens of an app's or a container's managed identity; Azure sets it",
            isCommon: true
        ) {
            $0.unread.azure.identityEndpoint = try endpoint($1)
        },
        Setting(
            "IDENTITY_HEADER", "", "the secret for IDENTITY_ENDPOINT; Azure sets it", isSecret: true,
            isCommon: true
        ) {
            $0.unread.azure.identityHeader = try headerText($1)
        },
    ]
}

/// The texts about an account of Azure.
struct UnreadAzure: Sendable {
    var account = ""
    var key: [UInt8] = []
    var clientID = ""
    var tenant = ""
    var clientSecret = ""
    var tokenFile = ""
    var authority = ObjectStore.Endpoint(host: "login.microsoftonline.com")
    var identityEndpoint: ObjectStore.Endpoint?
    var identityHeader = ""
}

extension SettingTexts {
    func azureStore(_ store: UnreadStore, _ texts: UnreadAzure) throws(SettingFailure) -> AzureStore {
        guard !texts.account.isEmpty else {
            throw SettingFailure(
                "\(name(of: "USE_ABS")) needs \(name(of: "ABS_NAME")), the account of Azure Storage")
        }
        let authorization: AzureStore.Authorization
        if texts.key.isEmpty {
            authorization = .identity(
                TemporaryCredential(AzureIdentity(kind: try identity(texts), clientID: texts.clientID)))
        } else {
            authorization = .key(AzureSignature(account: texts.account, key: texts.key))
        }
        return AzureStore(endpoint: store.endpoint ?? .azure(texts.account), authorization: authorization)
    }

    private func identity(_ texts: UnreadAzure) throws(SettingFailure) -> AzureIdentity.Kind {
        if !texts.clientSecret.isEmpty {
            guard !texts.clientID.isEmpty, !texts.tenant.isEmpty else {
                throw SettingFailure(
                    "\(name(of: "AZURE_CLIENT_SECRET")) needs AZURE_CLIENT_ID and AZURE_TENANT_ID")
            }
            return .principal(
                tenant: texts.tenant, secret: texts.clientSecret, authority: texts.authority)
        }
        if !texts.tokenFile.isEmpty {
            guard !texts.clientID.isEmpty, !texts.tenant.isEmpty else {
                throw SettingFailure(
                    "\(name(of: "AZURE_FEDERATED_TOKEN_FILE")) needs AZURE_CLIENT_ID and AZURE_TENANT_ID")
            }
            return .principal(tenant: texts.tenant, file: texts.tokenFile, authority: texts.authority)
        }
        guard let place = texts.identityEndpoint, !texts.identityHeader.isEmpty else { return .machine() }
        return .app(place, secret: texts.identityHeader)
    }
}
