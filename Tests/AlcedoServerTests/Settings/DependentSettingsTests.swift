import Testing

@testable import AlcedoServer

struct `Settings that need others` {
    private static let cases: [([String: String], [String])] = [
        (["ALCEDO_CACHE_SECRET": "x"], ["ALCEDO_CACHE_SECRET has no effect without ALCEDO_CACHE_USE"]),
        (
            ["IMGPROXY_CACHE_S3_REGION": "a", "IMGPROXY_CACHE_USE": "gcs"],
            ["IMGPROXY_CACHE_S3_REGION has no effect without IMGPROXY_CACHE_USE=s3"]
        ),
        (["ALCEDO_CACHE_S3_REGION": "a", "ALCEDO_CACHE_USE": "s3"], []),
        (
            ["ALCEDO_CACHE_GCS_ENDPOINT": "http://a"],
            ["ALCEDO_CACHE_GCS_ENDPOINT has no effect without ALCEDO_CACHE_USE=gcs"]
        ),
        (
            ["ALCEDO_S3_REGION": "a", "IMGPROXY_S3_ENDPOINT": "http://a", "IMGPROXY_USE_S3": "false"],
            [
                "ALCEDO_S3_REGION has no effect without IMGPROXY_USE_S3=true",
                "IMGPROXY_S3_ENDPOINT has no effect without IMGPROXY_USE_S3=true",
            ]
        ),
        (["ALCEDO_S3_REGION": "a", "ALCEDO_USE_S3": "1"], []),
        // Other programs have them, too.
        (["AWS_REGION": "a", "AWS_ACCESS_KEY_ID": "a"], []),
        (["ALCEDO_GCS_ACCESS_KEY_ID": "a", "ALCEDO_CACHE_USE": "gcs"], []),
        (
            ["ALCEDO_GCS_ACCESS_KEY_ID": "a"],
            ["ALCEDO_GCS_ACCESS_KEY_ID has no effect without ALCEDO_USE_GCS=true or ALCEDO_CACHE_USE=gcs"]
        ),
        (
            ["IMGPROXY_ABS_KEY": "a", "IMGPROXY_USE_SWIFT": "false", "IMGPROXY_SWIFT_TENANT": "a"],
            [
                "IMGPROXY_ABS_KEY has no effect without ALCEDO_USE_ABS=true",
                "IMGPROXY_SWIFT_TENANT has no effect without IMGPROXY_USE_SWIFT=true",
            ]
        ),
        (["AZURE_CLIENT_ID": "a", "AZURE_TENANT_ID": "a", "IDENTITY_ENDPOINT": "http://a"], []),
        (
            ["ALCEDO_MEMCACHED_NAMESPACE": "a"],
            ["ALCEDO_MEMCACHED_NAMESPACE has no effect without ALCEDO_MEMCACHED"]
        ),
        (["ALCEDO_ETAG_BUSTER": "a"], []),
        (
            ["ALCEDO_ETAG_BUSTER": "a", "ALCEDO_USE_ETAG": "false"],
            ["ALCEDO_ETAG_BUSTER has no effect without ALCEDO_USE_ETAG=true"]
        ),
        (
            ["ALCEDO_WATERMARK_OPACITY": "0.5"],
            [
                "ALCEDO_WATERMARK_OPACITY has no effect without ALCEDO_WATERMARK_DATA or ALCEDO_WATERMARK_PATH "
                    + "or ALCEDO_WATERMARK_URL"
            ]
        ),
        (["ALCEDO_WATERMARK_OPACITY": "0.5", "ALCEDO_WATERMARK_PATH": "/a"], []),
    ]

    @Test func `presets only, of which there is none, are reported`() throws {
        let alone = try SettingTexts(environment: ["IMGPROXY_ONLY_PRESETS": "1"]).warnings
        #expect(alone.count == 1 && alone.first?.hasPrefix("IMGPROXY_ONLY_PRESETS rejects all URLs") == true)
        for other in [["ALCEDO_PRESETS": "a=w:1"], ["ALCEDO_ONLY_PRESETS": "false"]] {
            let environment = ["ALCEDO_ONLY_PRESETS": "1"].merging(other) { $1 }
            #expect(try SettingTexts(environment: environment).warnings.isEmpty)
        }
    }

    @Test(arguments: cases)
    func `settings that have no effect alone are reported`(environment: [String: String], warnings: [String])
        throws
    {
        #expect(try SettingTexts(environment: environment).warnings == warnings)
    }

    @Test func `settings that need others are all known`() {
        let known = Set(Setting.all.map(\.name))
        for dependent in DependentSettings.all {
            #expect(known.isSuperset(of: dependent.names + dependent.needs.map(\.setting)))
        }
    }
}
