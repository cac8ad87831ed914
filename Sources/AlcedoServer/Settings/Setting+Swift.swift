extension Setting {
    static let swift: [Setting] = [
        Setting("USE_SWIFT", "false", "whether swift://CONTAINER/OBJECT sources are loaded") {
            $0.unread.stores[.swift, default: UnreadStore()].isOn = try truth($1)
        },
        Setting("SWIFT_USERNAME", "", "the user of OpenStack Swift") {
            $0.unread.swift.user = $1
        },
        Setting("SWIFT_API_KEY", "", "the key or password of the user", isSecret: true) {
            $0.unread.swift.key = $1
        },
        Setting("SWIFT_AUTH_URL", "", "the URL for tokens, such as https://keystone:5000/v3") {
            $0.unread.stores[.swift, default: UnreadStore()].endpoint = try endpoint($1)
        },
        Setting(
            "SWIFT_AUTH_VERSION", "0",
            "the version of authentication, 1 to 3; 0 for the one in SWIFT_AUTH_URL"
        ) {
            $0.unread.swift.version = SwiftAccount.Version(rawValue: try whole($1, 0...3))
        },
        Setting("SWIFT_TENANT", "", "the tenant or project, in versions 2 and 3; the user's own by default") {
            $0.unread.swift.tenant = $1
        },
        Setting(
            "SWIFT_DOMAIN", "",
            "the domain of user and project, in version 3; by default the one with the ID default"
        ) {
            $0.unread.swift.domain = $1
        },
        Setting("SWIFT_TIMEOUT_SECONDS", "60", "seconds for a token, and until the next bytes of an object") {
            $0.unread.swift.limits.data = .seconds(try seconds($1))
        },
        Setting("SWIFT_CONNECT_TIMEOUT_SECONDS", "10", "seconds for a connection to Swift") {
            $0.unread.swift.limits.connect = .seconds(try seconds($1))
        },
        Setting("SWIFT_ALLOWED_BUCKETS", "", "names of the containers that URLs may use, separated by commas")
        {
            $0.unread.stores[.swift, default: UnreadStore()].buckets.allowed = Set(try list($1))
        },
        Setting(
            "SWIFT_DENIED_BUCKETS", "", "names of the containers that URLs may not use, separated by commas"
        ) {
            $0.unread.stores[.swift, default: UnreadStore()].buckets.denied = Set(try list($1))
        },
    ]
}

/// The texts about a user of Swift.
struct UnreadSwift: Sendable {
    var user = ""
    var key = ""
    /// Nil for the one that the URL names.
    var version: SwiftAccount.Version?
    var tenant = ""
    var domain = ""
    var limits = SwiftAccount.Limits()
}

extension SettingTexts {
    func swiftStore(_ store: UnreadStore, _ texts: UnreadSwift) throws(SettingFailure) -> SwiftStore {
        guard let address = store.endpoint, !texts.user.isEmpty, !texts.key.isEmpty else {
            let needs = ["SWIFT_AUTH_URL", "SWIFT_USERNAME", "SWIFT_API_KEY"].map(name)
            throw SettingFailure(
                "\(name(of: "USE_SWIFT")) needs \(needs[0]), \(needs[1]) and \(needs[2]), which give tokens")
        }
        guard let version = texts.version ?? Self.version(in: address.path) else {
            throw SettingFailure(
                "\(name(of: "SWIFT_AUTH_URL")) names no version, such as /v3: "
                    + "set \(name(of: "SWIFT_AUTH_VERSION"))")
        }
        // Keystone's passwords are in JSON.
        if version == .v1, !texts.user.isHeaderText || !texts.key.isHeaderText {
            throw SettingFailure(
                "\(name(of: "SWIFT_USERNAME")) and \(name(of: "SWIFT_API_KEY")) take ASCII without spaces in version 1"
            )
        }
        return SwiftStore(
            SwiftAccount(
                version: version, address: address, user: texts.user, key: texts.key, tenant: texts.tenant,
                domain: texts.domain, limits: texts.limits))
    }

    /// The version in a path such as `/auth/v1.0` or `/v3`.
    private static func version(in path: String) -> SwiftAccount.Version? {
        path.split(separator: "/").lazy.compactMap { part in
            let number = part.dropFirst().split(separator: ".").first.flatMap { Int($0) }
            return part.first == "v" ? number.flatMap(SwiftAccount.Version.init) : nil
        }.first
    }
}
