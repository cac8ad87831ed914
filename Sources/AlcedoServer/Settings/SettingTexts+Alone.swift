/// Settings that have no effect unless another one has a value.
struct DependentSettings: Sendable {
    enum Need: Sendable {
        case given(String)
        case on(String)
        case equal(String, String)

        var setting: String {
            switch self {
            case .given(let name), .on(let name), .equal(let name, _): name
            }
        }
    }

    let names: [String]
    /// One of them is enough.
    let needs: [Need]

    static let all: [DependentSettings] = [
        DependentSettings(names: ["CACHE_PATH_PREFIX", "CACHE_SECRET"], needs: [.given("CACHE_USE")]),
        DependentSettings(
            names: [
                "CACHE_S3_REGION", "CACHE_S3_ENDPOINT", "CACHE_S3_ENDPOINT_USE_PATH_STYLE",
                "CACHE_S3_ASSUME_ROLE_ARN", "CACHE_S3_ASSUME_ROLE_EXTERNAL_ID",
            ], needs: [.equal("CACHE_USE", "s3")]),
        DependentSettings(
            names: ["CACHE_GCS_ENDPOINT", "CACHE_GCS_KEY"], needs: [.equal("CACHE_USE", "gcs")]),
        DependentSettings(
            names: [
                "S3_REGION", "S3_ENDPOINT", "S3_ENDPOINT_USE_PATH_STYLE", "S3_ASSUME_ROLE_ARN",
                "S3_ASSUME_ROLE_EXTERNAL_ID", "S3_ALLOWED_BUCKETS", "S3_DENIED_BUCKETS",
            ], needs: [.on("USE_S3")]),
        DependentSettings(
            names: ["GCS_ENDPOINT", "GCS_ALLOWED_BUCKETS", "GCS_DENIED_BUCKETS"], needs: [.on("USE_GCS")]),
        DependentSettings(
            names: ["GCS_ACCESS_KEY_ID", "GCS_SECRET_ACCESS_KEY", "GCS_KEY"],
            needs: [.on("USE_GCS"), .equal("CACHE_USE", "gcs")]),
        DependentSettings(
            names: ["ABS_NAME", "ABS_KEY", "ABS_ENDPOINT", "ABS_ALLOWED_BUCKETS", "ABS_DENIED_BUCKETS"],
            needs: [.on("USE_ABS")]),
        DependentSettings(
            names: [
                "SWIFT_USERNAME", "SWIFT_API_KEY", "SWIFT_AUTH_URL", "SWIFT_AUTH_VERSION", "SWIFT_TENANT",
                "SWIFT_DOMAIN", "SWIFT_TIMEOUT_SECONDS", "SWIFT_CONNECT_TIMEOUT_SECONDS",
                "SWIFT_ALLOWED_BUCKETS", "SWIFT_DENIED_BUCKETS",
            ], needs: [.on("USE_SWIFT")]),
        DependentSettings(names: ["MEMCACHED_SECRET", "MEMCACHED_NAMESPACE"], needs: [.given("MEMCACHED")]),
        DependentSettings(
            names: ["PROMETHEUS_NAMESPACE"],
            needs: ["PROMETHEUS_BIND", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"]
                .map { .given($0) }),
        DependentSettings(
            names: ["OPEN_TELEMETRY_ENABLE_METRICS"],
            needs: [
                .given("OTEL_EXPORTER_OTLP_ENDPOINT"), .given("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"),
            ]),
        DependentSettings(names: ["SIGNATURE_SIZE", "TRUSTED_SIGNATURES"], needs: [.given("KEY")]),
        DependentSettings(names: ["PRESETS_SEPARATOR"], needs: [.given("PRESETS")]),
        DependentSettings(names: ["VIDEO_THUMBNAIL_SECOND"], needs: [.on("ENABLE_VIDEO_THUMBNAILS")]),
        DependentSettings(names: ["ETAG_BUSTER"], needs: [.on("USE_ETAG")]),
        DependentSettings(names: ["LAST_MODIFIED_BUSTER"], needs: [.on("USE_LAST_MODIFIED")]),
        DependentSettings(
            names: ["FALLBACK_IMAGE_HTTP_CODE", "FALLBACK_IMAGE_TTL"],
            needs: ["DATA", "PATH", "URL"].map { .given("FALLBACK_IMAGE_\($0)") }),
        DependentSettings(
            names: ["WATERMARK_OPACITY"], needs: ["DATA", "PATH", "URL"].map { .given("WATERMARK_\($0)") }),
    ]
}

extension SettingTexts {
    /// Warnings of settings that are given without another one that they need.
    func settingsAlone() -> [String] {
        DependentSettings.all.flatMap { dependent -> [String] in
            guard !dependent.needs.contains(where: isMet) else { return [] }
            let needs = dependent.needs.map(shown).joined(separator: " or ")
            return dependent.names.compactMap { given[$0]?.name }
                .map { "\($0) has no effect without \(needs)" }
        }
    }

    private func isMet(_ need: DependentSettings.Need) -> Bool {
        switch need {
        case .given(let name): given[name] != nil
        case .on(let name):
            // A wrong text stops the start with its own message.
            (try? truth(given[name]?.text ?? Setting.all.first { $0.name == name }?.defaultText ?? ""))
                ?? true
        case .equal(let name, let text): given[name]?.text == text
        }
    }

    private func shown(_ need: DependentSettings.Need) -> String {
        switch need {
        case .given(let setting): name(of: setting)
        case .on(let setting): "\(name(of: setting))=true"
        case .equal(let setting, let text): "\(name(of: setting))=\(text)"
        }
    }
}
