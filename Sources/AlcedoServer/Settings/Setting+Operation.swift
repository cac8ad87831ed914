import AlcedoTransport

extension Setting {
    static let operation: [Setting] = [
        Setting("PROMETHEUS_BIND", "", "where Prometheus reads metrics, such as 127.0.0.1:9090") {
            $0.metricsListen = try listenAddress($1)
        },
        Setting("PROMETHEUS_NAMESPACE", "", "the prefix of metric names") {
            let isName = $1.utf8.enumerated().allSatisfy { index, byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII
                    && (character.isLetter || character == "_" || index > 0 && character.isNumber)
            }
            guard isName else { throw Rejected("letters, digits and _") }
            $0.metricsNamespace = $1
        },
        Setting("LOG_FORMAT", "json", "the form of the log: json, logfmt or pretty") {
            // imgproxy's name for it.
            guard let format = $1 == "structured" ? .logfmt : LogFormat(rawValue: $1) else {
                throw Rejected("json, logfmt or pretty")
            }
            $0.logFormat = format
        },
        Setting("LOG_LEVEL", "info", "what is logged: info, warn (from 400 on) or error (from 500 on)") {
            guard let level = LogLevel(rawValue: $1) else { throw Rejected("info, warn or error") }
            $0.logLevel = level
        },
        Setting(
            "TRUSTED_PROXIES", "",
            "addresses or networks of proxies whose X-Forwarded-For names the client, separated by commas; "
                + "unix for those of a Unix socket",
            isOwn: true
        ) {
            for text in list($1) {
                if text == "unix" {
                    $0.trustedProxies.includesUnixSocket = true
                } else if let block = AddressBlock(text) {
                    $0.trustedProxies.blocks.append(block)
                } else {
                    throw Rejected("addresses and networks such as 10.0.0.0/8 or ::1, or unix")
                }
            }
        },
    ]

    /// How much of the server one party may use.
    static let quotas: [Setting] = [
        limit("KEY_LIMIT", .key, "requests at a time that one signing key may have in work; 0 for no limit"),
        rate("KEY_RATE", .key, "requests a second that one signing key may start; 0 for no limit"),
        limit(
            "SOURCE_LIMIT", .source,
            "requests at a time that one source host may have in work; 0 for no limit"),
        rate("SOURCE_RATE", .source, "requests a second that one source host may start; 0 for no limit"),
        limit("CLIENT_LIMIT", .client, "requests at a time that one client may have in work; 0 for no limit"),
        rate("CLIENT_RATE", .client, "requests a second that one client may start; 0 for no limit"),
    ]

    private static func limit(_ name: String, _ kind: Quotas.Kind, _ summary: String) -> Setting {
        Setting(name, "0", summary, isOwn: true) {
            $0.quotas[kind, default: QuotaLimit()].running = try whole($1, 0...1_000_000)
        }
    }

    private static func rate(_ name: String, _ kind: Quotas.Kind, _ summary: String) -> Setting {
        Setting(name, "0", summary, isOwn: true) {
            $0.quotas[kind, default: QuotaLimit()].rate = try decimal($1, 0...1_000_000)
        }
    }
}
