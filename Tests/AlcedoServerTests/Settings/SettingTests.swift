import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

struct `Settings` {
    private func settings(
        flags: [String: String] = [:], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> ServerSettings {
        try SettingTexts(
            flags: flags, environment: environment,
            file: file.map { SettingTexts.File(path: "serve.conf", text: $0) }
        ).settings()
    }

    private func rejection(_ environment: [String: String], file: String? = nil) -> String? {
        do {
            _ = try settings(environment, file: file)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        "ALLOWED_SOURCES", "ALLOWED_PROCESSING_OPTIONS", "TRUSTED_SIGNATURES", "S3_ALLOWED_BUCKETS",
        "GCS_ALLOWED_BUCKETS", "ABS_ALLOWED_BUCKETS", "SWIFT_ALLOWED_BUCKETS",
    ])
    func `a list of what is allowed that has no part is rejected, as it would allow everything`(name: String)
    {
        for text in [" ", ",", " , "] {
            #expect(rejection(["IMGPROXY_\(name)": text])?.hasPrefix("IMGPROXY_\(name) takes") == true)
        }
    }

    @Test func `wrong replacements and presets name their settings`() {
        let replacements = rejection(["ALCEDO_URL_REPLACEMENTS": "foo"])
        #expect(replacements?.hasPrefix("ALCEDO_URL_REPLACEMENTS takes") == true)
        let presets = rejection(["IMGPROXY_PRESETS": "small"])
        #expect(presets?.hasPrefix("IMGPROXY_PRESETS: The preset “small”") == true)
    }

    @Test func `settings have the documented defaults, with private networks closed`() throws {
        let settings = try settings()
        #expect(settings.listen == .tcp(host: nil, port: 8080))
        #expect(settings.limits.connections == 2048)
        #expect(settings.limits.keepAliveTimeout == 10)
        #expect(settings.workers == 2 * ProcessorCount.usable)
        #expect((settings.timeout, settings.gracefulStopTimeout) == (10, 20))
        #expect(settings.queueSize == 64 * settings.workers)
        #expect(!settings.addresses.allowsPrivate && !settings.addresses.allowsLoopback)
        #expect(settings.responses.ttl == 31_536_000)
        #expect(settings.responses.preferredFormats == [.jpeg, .png, .gif])
        #expect(settings.urls.defaults.formatQuality[.jpeg] == 80)
        #expect(settings.urls.defaults.formatQuality[.webp] == 79)
        #expect(settings.urls.keys.isEmpty)
    }

    @Test func `settings bound the queue by the number of workers, unless they name a size`() throws {
        #expect(try settings(["ALCEDO_WORKERS": "3"]).queueSize == 192)
        let names = ["IMGPROXY_REQUESTS_QUEUE_SIZE": "0", "ALCEDO_WORKERS": "3"]
        #expect(try settings(names).queueSize == 0)
        #expect(try settings(["ALCEDO_REQUESTS_QUEUE_SIZE": "7"]).queueSize == 7)
    }

    @Test func `settings come from flags before ALCEDO, IMGPROXY, the file and defaults`() throws {
        let file = "IMGPROXY_TTL=1\nALCEDO_TTL=2 \n# ALCEDO_TTL=9\n\n"
        let (ours, theirs) = (["ALCEDO_TTL": "4"], ["IMGPROXY_TTL": "3"])
        let both = ours.merging(theirs) { $1 }
        #expect(try settings(flags: ["ttl": "5"], both, file: file).responses.ttl == 5)
        #expect(try settings(both, file: file).responses.ttl == 4)
        #expect(try settings(theirs, file: file).responses.ttl == 3)
        #expect(try settings([:], file: file).responses.ttl == 2)
        #expect(try settings([:], file: "IMGPROXY_TTL='1'").responses.ttl == 1)
        #expect(try settings(["ALCEDO_TTL": "", "IMGPROXY_TTL": "3"]).responses.ttl == 3)
    }

    @Test(arguments: [
        ("WORKERS", "0", "1 to 1024"), ("WORKERS", "two", "whole number"), ("BIND", "8080", "HOST:PORT"),
        ("BIND", "127.0.0.1:99999", "HOST:PORT"), ("BIND", "::1:80", "HOST:PORT"),
        ("TIMEOUT", "-1", "seconds"),
        ("ONLY_PRESETS", "yes", "true or false"), ("SIGNATURE_SIZE", "33", "1 to 32"),
        ("PREFERRED_FORMATS", "jpeg,exe", "formats"), ("WATERMARK_OPACITY", "nan", "0.0 to 1.0"),
        ("WATERMARK_URL", "file:///etc/passwd", "http or https"), ("PATH_PREFIX", "img", "starts with /"),
        ("FALLBACK_IMAGE_HTTP_CODE", "20", "100 to 599"), ("ETAG_BUSTER", "a\"b", "ASCII"),
        ("FORMAT_QUALITY", "webp=200", "1 to 100"), ("AUTOQUALITY_FORMAT_MIN", "x=1", "FORMAT=QUALITY"),
        ("AUTOQUALITY_METHOD", "ml", "none, size, dssim, ssim"), ("AUTOQUALITY_METHOD", "size", "bytes"),
        ("WEBP_PRESET", "x", "photo"), ("PNG_QUANTIZATION_COLORS", "1", "2 to 256"),
        ("PRESETS_PATH", "/nonexistent", "can be read"),
        ("ALLOW_ORIGIN", "a\r\nSet-Cookie: b", "an origin"),
        ("SANDBOX", "maybe", "require, prefer or off"), ("LOG_FORMAT", "xml", "json, logfmt or pretty"),
        ("LOG_LEVEL", "loud", "info, warn or error"), ("HEALTH_CHECK_PATH", "ping", "starts with /"),
        ("LAST_MODIFIED_BUSTER", "yesterday", "2026-11-25T00:00:00Z"), ("CLIENT_RATE", "fast", "a number"),
        ("KEY_LIMIT", "-1", "whole number"),
    ])
    func `settings name what is wrong, and what is allowed`(name: String, text: String, allowed: String)
        throws
    {
        let error = try #require(rejection(["ALCEDO_\(name)": text]))
        #expect(error.contains("ALCEDO_\(name)"), "\(error)")
        #expect(error.contains(allowed), "\(error)")
    }

    @Test func `settings listen on PORT unless they name an address`() throws {
        #expect(try settings(["PORT": "5000"]).listen == .tcp(host: nil, port: 5000))
        #expect(
            try settings(["PORT": "5000", "IMGPROXY_BIND": ":6000"]).listen == .tcp(host: nil, port: 6000))
        #expect(
            try settings(["PORT": "5000"], file: "ALCEDO_BIND=:6000").listen == .tcp(host: nil, port: 6000))
        #expect(rejection(["PORT": "x"])?.contains("PORT takes") == true)
    }

    @Test func `settings verify the certificates of sources unless they say otherwise`() throws {
        for (text, expected) in [("", true), ("false", true), ("true", false)] {
            let rules = try settings(["IMGPROXY_IGNORE_SSL_VERIFICATION": text]).sources
            let loader = SourceLoader(rules: rules, engine: ServerEngine())
            #expect(try loader.request(for: "https://a.test/", limit: 1).verifiesServer == expected)
        }
    }

    @Test func `settings separate presets as they say`() throws {
        let presets = try settings([
            "ALCEDO_PRESETS": "a=q:50;b=w:1/h:2", "IMGPROXY_PRESETS_SEPARATOR": ";",
        ]).urls.presets
        #expect(presets.keys.sorted() == ["a", "b"])
    }

    @Test func `settings name the line of a file`() throws {
        #expect(try #require(rejection([:], file: "\nALCEDO_TTL=x")).contains("serve.conf, line 2"))
        #expect(try #require(rejection([:], file: "ALCEDO_TTL")).contains("line 1: expected NAME=value"))
        #expect(try #require(rejection([:], file: "ALCEDO_TLT=1")).contains("ALCEDO_TLT is no setting"))
    }

    @Test func `settings of imgproxy that Alcedo lacks are warned of`() throws {
        let texts = try SettingTexts(
            environment: ["IMGPROXY_OBJECT_DETECTION_CONFIG": "x", "ALCEDO_TLT": "1", "HOME": "/"],
            file: SettingTexts.File(path: "f", text: "IMGPROXY_SERVER_NAME=x"))
        #expect(texts.warnings.count == 3)
        #expect(texts.warnings.contains { $0.contains("ALCEDO_TLT") })
    }

    @Test func `settings that are secret are never shown`() throws {
        let secrets = [
            "ALCEDO_KEY": "736563726574", "ALCEDO_SALT": "68656c6c6f", "ALCEDO_SECRET": "hunter2",
            "ALCEDO_TRUSTED_SIGNATURES": "hunter2",
            "ALCEDO_MEMCACHED_SECRET": "00112233445566778899aabbccddeeff",
        ]
        let texts = try SettingTexts(environment: secrets)
        for secret in secrets.values { #expect(!texts.listing.contains(secret)) }
        #expect(texts.listing.contains("ALCEDO_TTL=31536000  # default"))
        let error = try #require(rejection(["ALCEDO_MEMCACHED_SECRET": "hunter2"]))
        #expect(!error.contains("hunter2"))
        let short = try #require(rejection(["ALCEDO_MEMCACHED_SECRET": "00112233"]))
        #expect(short.contains("at least 32 hexadecimal digits") && !short.contains("00112233"))
        let keys = try #require(rejection(["ALCEDO_KEY": "7365,6372"]))
        #expect(keys.contains("ALCEDO_KEY") && keys.contains("ALCEDO_SALT"))
    }

    @Test func `settings show no credentials of URLs`() throws {
        let url = "https://user:hunter2@a.test/"
        let environment = [
            "ALCEDO_BASE_URL": url,
            "ALCEDO_URL_REPLACEMENTS": "my://=\(url);s3:=https:/user:hunter2@b.test",
            "ALCEDO_ALLOWED_SOURCES": "\(url),https://user:hunter2@*.test/", "ALCEDO_WATERMARK_URL": url,
            "ALCEDO_FALLBACK_IMAGE_URL": "https://a.test/?token=hunter2",
        ]
        let listing = try SettingTexts(environment: environment).listing
        #expect(!listing.contains("hunter2"))
        for line in [
            "ALCEDO_BASE_URL=https://…@a.test/  #",
            "ALCEDO_URL_REPLACEMENTS=my://=https://…@a.test/;s3:=https:/…@b.test  #",
            "ALCEDO_ALLOWED_SOURCES=https://…@a.test/,https://…@*.test/  #",
            "ALCEDO_FALLBACK_IMAGE_URL=https://a.test/?…  #",
        ] { #expect(listing.contains(line), "\(line)") }
        for (name, text) in [
            ("URL_REPLACEMENTS", "https://user:hunter2@a.test/"),
            ("WATERMARK_URL", "ftp://user:hunter2@a.test/"),
            ("WATERMARK_URL", "ftp://user:\(String(repeating: "hunter2", count: 40))@a.test/"),
            ("PATH_PREFIX", "https://user:hunter2@a.test/"), ("BIND", "user:hunter2@a.test"),
        ] {
            let message = try #require(rejection(["ALCEDO_\(name)": text]))
            #expect(!message.contains("hunter2"), "\(message)")
        }
    }

    @Test func `settings warn of short signatures`() throws {
        for (size, count) in [("7", 1), ("8", 0), ("32", 0), ("x", 0)] {
            let environment = ["ALCEDO_SIGNATURE_SIZE": size, "ALCEDO_KEY": "00", "ALCEDO_SALT": "00"]
            #expect(try SettingTexts(environment: environment).warnings.count == count)
        }
    }

    @Test func `settings with keys sign and check URLs, and presets are read with them`() throws {
        let settings = try settings([
            "IMGPROXY_KEY": "736563726574", "IMGPROXY_SALT": "68656c6c6f",
            "IMGPROXY_PRESETS": "small=rs:fit:10:10,default=q:50",
        ])
        let path =
            "/u5Htmvxom_7nDc2usUDRYEFpNypSB-z_i1kDUlt2haM/plain/http://example.com/a%20b.jpg%3Fv=1@webp"
        let url = try ImageURL(requestTarget: path, rules: settings.urls, now: 0)
        #expect(url.options.quality == 50)
    }

    @Test func `settings have flags that are all different, and a help text`() {
        #expect(Set(Setting.all.map(\.flag)).count == Setting.all.count)
        #expect(
            Setting.all.allSatisfy { !$0.summary.isEmpty && $0.flag != "config" && $0.flag != "check" })
    }
}
