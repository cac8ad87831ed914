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
}
