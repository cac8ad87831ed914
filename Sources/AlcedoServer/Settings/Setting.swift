import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import Foundation

/// One setting: a flag, a variable of the environment or a line of the configuration file.
package struct Setting: Sendable {
    /// Why a text is no value: what is allowed.
    struct Rejected: Error {
        let allowed: String

        init(_ allowed: String) { self.allowed = allowed }
    }

    /// Such as `REQUESTS_QUEUE_SIZE`; the environment has it with `ALCEDO_` or `IMGPROXY_` in front.
    package let name: String
    /// The text that counts if none is given; empty for none.
    package let defaultText: String
    /// What it does, for the help.
    package let summary: String
    /// Whether its value is never shown.
    package let isSecret: Bool
    /// Whether imgproxy has it, so that its name counts too.
    package let isKnownToImgproxy: Bool
    /// Whether the environment has it without a prefix, too, as other programs have it.
    package let isCommon: Bool
    /// Not called with an empty text.
    let apply: @Sendable (inout ServerSettings, String) throws -> Void

    init(
        _ name: String, _ defaultText: String = "", _ summary: String, isSecret: Bool = false,
        isOwn: Bool = false, isCommon: Bool = false,
        apply: @escaping @Sendable (inout ServerSettings, String) throws -> Void
    ) {
        self.name = name
        self.defaultText = defaultText
        self.summary = summary
        self.isSecret = isSecret
        isKnownToImgproxy = !isOwn && !isCommon
        self.isCommon = isCommon
        self.apply = apply
    }

    /// Such as `requests-queue-size`.
    package var flag: String { name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined() }

    /// All settings, in the order of the help.
    package static let all: [Setting] =
        server + quotas + cache + resultBucket + urls + encoding + sources + videos + objectStores
        + azure + swift + responses + operation + tracing
}

extension Setting {
    static let sources: [Setting] = [
        Setting("DOWNLOAD_TIMEOUT", "5", "seconds for a download") {
            $0.sources.downloadTimeout = Double(try seconds($1))
        },
        Setting("MAX_REDIRECTS", "10", "the most redirects of a download") {
            $0.sources.maxRedirects = try whole($1, 0...100)
        },
        Setting("USER_AGENT", "Alcedo", "the User-Agent of downloads") {
            guard $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Rejected("a text of ASCII characters")
            }
            $0.sources.userAgent = $1
        },
        Setting("REQUEST_HEADERS_PASSTHROUGH", "", "headers of clients for origins; needs ALLOWED_SOURCES") {
            $0.sources.passedHeaders = try passedHeaders($1)
        },
        Setting("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "false", "whether sources may be on this machine") {
            $0.addresses.allowsLoopback = try truth($1)
        },
        Setting(
            "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", "false", "whether sources may have link-local addresses"
        ) {
            $0.addresses.allowsLinkLocal = try truth($1)
        },
        Setting("ALLOW_PRIVATE_SOURCE_ADDRESSES", "false", "whether sources may be in private networks") {
            $0.addresses.allowsPrivate = try truth($1)
        },
        Setting(
            "IGNORE_SSL_VERIFICATION", "false",
            "whether sources' TLS certificates are accepted unverified, so that an attacker can replace images"
        ) {
            $0.sources.verifiesServers = !(try truth($1))
        },
        Setting("LOCAL_FILESYSTEM_ROOT", "", "the folder of local:/// sources; without it there are none") {
            $0.sources.localRoot = path($1)
        },
        Setting(
            "REVALIDATE_AFTER", "3600",
            "seconds after which sources are revalidated, unless their headers say sooner; files always are",
            isOwn: true
        ) {
            $0.sources.revalidateAfter = try whole($1, 0...Int.max)
        },
        Setting("MAX_SRC_FILE_SIZE", "0", "bytes of a source; 0 for 256 MiB") {
            $0.sources.maxFileSize = try whole($1, 0...Int.max)
        },
        Setting("MAX_SRC_RESOLUTION", "50", "megapixels of a source, of all its frames") {
            $0.responses.maxSourceResolution = try decimal($1, 0...10_000)
        },
        Setting("MAX_ANIMATION_FRAMES", "1", "the most frames of an animation; later ones are dropped") {
            $0.responses.maxAnimationFrames = try whole($1, 1...100_000)
        },
        Setting("MAX_ANIMATION_FRAME_RESOLUTION", "0", "megapixels of each frame; 0 for all together") {
            $0.responses.maxAnimationFrameResolution = try decimal($1, 0...10_000)
        },
        Setting("FALLBACK_IMAGE_DATA", "", "the fallback image, sent if a download fails, in base64") {
            $0.sources.fallback = .data(try base64($1))
        },
        Setting("FALLBACK_IMAGE_PATH", "", "the file with the fallback image") {
            $0.sources.fallback = .path(path($1))
        },
        Setting("FALLBACK_IMAGE_URL", "", "the URL of the fallback image") {
            $0.sources.fallback = .url(try webURL($1).absoluteString)
        },
        Setting("FALLBACK_IMAGE_HTTP_CODE", "200", "the status with the fallback image; 0 for the error's") {
            let code = try whole($1, 0...599)
            guard code == 0 || code >= 100 else { throw Rejected("0, or a status from 100 to 599") }
            $0.sources.fallbackStatus = code
        },
        Setting("FALLBACK_IMAGE_TTL", "0", "seconds that caches may keep the fallback image; 0 for TTL") {
            $0.sources.fallbackTTL = try whole($1, 0...Int.max)
        },
    ]

    static let responses: [Setting] = [
        Setting("TTL", "31536000", "seconds that caches may keep results; 0 for no-cache") {
            $0.responses.ttl = try whole($1, 0...Int.max)
        },
        Setting("CACHE_CONTROL_PASSTHROUGH", "false", "whether the source's Cache-Control is used instead") {
            $0.responses.passesCacheControl = try truth($1)
        },
        Setting("USE_ETAG", "true", "whether the source's ETag is sent") {
            $0.responses.usesETag = try truth($1)
        },
        Setting("USE_LAST_MODIFIED", "true", "whether the source's Last-Modified is sent") {
            $0.responses.usesLastModified = try truth($1)
        },
        Setting("LAST_MODIFIED_BUSTER", "", "the earliest date that is sent, such as 2026-11-25T00:00:00Z") {
            guard let date = try? Date($1, strategy: .iso8601) else {
                throw Rejected("a date such as 2026-11-25T00:00:00Z")
            }
            $0.responses.earliestModified = date
        },
        Setting("ETAG_BUSTER", "", "a text whose change changes all ETags") {
            guard $1.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x2F }) else {
                throw Rejected("ASCII characters without space, quotation mark and /")
            }
            $0.responses.etagBuster = $1
        },
        automatic("AUTO_WEBP", .webp), automatic("AUTO_AVIF", .avif), automatic("AUTO_JXL", .jxl),
        enforced("ENFORCE_WEBP", .webp), enforced("ENFORCE_AVIF", .avif), enforced("ENFORCE_JXL", .jxl),
        Setting("PREFERRED_FORMATS", "jpeg,png,gif", "formats of results if nothing else decides") {
            $0.responses.preferredFormats = try list($1).map(format)
        },
        Setting("SANITIZE_SVG", "true", "whether scripts are removed from SVG") {
            $0.responses.sanitizesSVG = try truth($1)
        },
        Setting(
            "ALWAYS_RASTERIZE_SVG", "false", "whether SVG is rasterised, unless the URL asks for SVG"
        ) {
            $0.responses.rasterizesSVG = try truth($1)
        },
        Setting("SET_CANONICAL_HEADER", "false", "whether a canonical Link header names the source") {
            $0.responses.setsCanonicalLink = try truth($1)
        },
        Setting("ENABLE_CLIENT_HINTS", "false", "whether the DPR and Width headers of requests are used") {
            $0.responses.usesClientHints = try truth($1)
        },
        Setting("ENABLE_DEBUG_HEADERS", "false", "whether headers show sizes, times and the cache tier") {
            $0.responses.sendsDebugHeaders = try truth($1)
        },
        Setting("DEVELOPMENT_ERRORS_MODE", "false", "whether error responses contain the reason") {
            $0.responses.isDevelopment = try truth($1)
        },
        Setting("MAX_RESULT_DIMENSION", "0", "pixels of a result's longest side; 0 for no limit") {
            $0.responses.maxResultDimension = try whole($1, 0...65_535)
        },
        Setting("WATERMARK_DATA", "", "the watermark, in base64") {
            $0.responses.watermark = .data(try base64($1))
        },
        Setting("WATERMARK_PATH", "", "the file with the watermark") {
            $0.responses.watermark = .path(path($1))
        },
        Setting("WATERMARK_URL", "", "the URL of the watermark") {
            $0.responses.watermark = .url(try webURL($1).absoluteString)
        },
        Setting("WATERMARK_OPACITY", "1", "the opacity of watermarks, multiplied by that in the URL") {
            $0.responses.watermarkOpacity = try decimal($1, 0...1)
        },
        Setting("KEEP_ORIGINALS", "false", "whether sources are cached too, for other sizes", isOwn: true) {
            $0.responses.keepsOriginals = try truth($1)
        },
        Setting(
            "ALLOW_TRUNCATED_SOURCES", "false",
            "whether sources that end too early are shown as far as they go",
            isOwn: true
        ) {
            $0.responses.showsTruncatedSources = try truth($1)
        },
        Setting(
            "SANDBOX", "prefer", "decode in restricted processes: require, prefer or off", isOwn: true
        ) {
            switch $1 {
            case "require": $0.responses.isolation = .required
            case "prefer": $0.responses.isolation = .preferred
            case "off": $0.responses.isolation = .off
            default: throw Rejected("require, prefer or off")
            }
        },
    ]

    private static func automatic(_ name: String, _ format: EncodedFormat) -> Setting {
        Setting(
            name, "false",
            "whether clients that accept \(format.rawValue) get it if the URL names no format"
        ) {
            if try truth($1) { $0.responses.automaticFormats.insert(format) }
        }
    }

    private static func enforced(_ name: String, _ format: EncodedFormat) -> Setting {
        Setting(
            name, "false", "whether clients that accept \(format.rawValue) get it, whatever the URL names"
        ) {
            if try truth($1) { $0.responses.enforcedFormats.insert(format) }
        }
    }
}

extension Setting {
    static let server: [Setting] = [
        Setting("BIND", ":8080", "where to listen: HOST:PORT, :PORT, [IPv6]:PORT or unix:/PATH") {
            $0.listen = try listenAddress($1)
        },
        Setting(
            "WORKERS", "\(2 * ProcessorCount.usable)",
            "images that are processed at a time"
        ) {
            $0.workers = try whole($1, 1...1024)
        },
        Setting(
            "REQUESTS_QUEUE_SIZE", "",
            "the most queued images, above which requests get 429; 64 × WORKERS by default, 0 for no limit"
        ) {
            $0.givenQueueSize = try whole($1, 0...1_000_000)
        },
        Setting("MAX_CLIENTS", "2048", "open connections; further ones wait in the system's queue") {
            $0.limits.connections = try whole($1, 1...1_000_000)
        },
        Setting("TIMEOUT", "10", "seconds for a response") { $0.timeout = try seconds($1) },
        Setting("READ_REQUEST_TIMEOUT", "10", "seconds for a request line and its headers") {
            $0.limits.readTimeout = try seconds($1)
        },
        Setting("WRITE_RESPONSE_TIMEOUT", "10", "seconds for sending a response") {
            $0.limits.writeTimeout = try seconds($1)
        },
        Setting("KEEP_ALIVE_TIMEOUT", "10", "seconds that an idle connection stays open; 0 closes it") {
            $0.limits.keepAliveTimeout = try seconds($1, 0...86_400)
        },
        Setting("GRACEFUL_STOP_TIMEOUT", "20", "seconds that running requests get when the server stops") {
            $0.gracefulStopTimeout = try seconds($1, 0...86_400)
        },
        Setting("HEALTH_CHECK_PATH", "", "another path of the health check, beside /health") {
            guard $1.hasPrefix("/"), !$1.contains("?") else { throw Rejected("a path that starts with /") }
            $0.healthPath = $1
        },
        Setting("SECRET", "", "the token in Authorization: Bearer …", isSecret: true) { $0.secret = $1 },
        Setting("ALLOW_ORIGIN", "", "the value of Access-Control-Allow-Origin") {
            guard $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Rejected("an origin, or *")
            }
            $0.allowOrigin = $1
        },
    ]

    static let cache: [Setting] = [
        Setting(
            "CACHE_FOLDER", "", "the folder of the disk cache; by default in the user's caches",
            isOwn: true
        ) {
            $0.cache.folder = path($1)
        },
        Setting("CACHE_MEMORY", "64", "MiB of results in memory", isOwn: true) {
            $0.cache.memory = try whole($1, 0...1_048_576)
        },
        Setting("CACHE_DISK", "1024", "MiB of results on disk; 0 for no disk cache", isOwn: true) {
            $0.cache.disk = try whole($1, 0...1_073_741_824)
        },
        Setting("MEMCACHED", "", "memcached servers that share results: HOST:PORT,…", isOwn: true) {
            $0.cache.memcached = try memcachedServers($1)
        },
        Setting(
            "MEMCACHED_SECRET", "", "signs the values in memcached; at least 32 hexadecimal digits",
            isSecret: true,
            isOwn: true
        ) {
            $0.cache.memcachedSecret = try secret($1)
        },
        Setting("MEMCACHED_NAMESPACE", "", "the prefix of keys in memcached", isOwn: true) {
            $0.cache.memcachedNamespace = $1
        },
    ]
}

extension Setting {
    static let urls: [Setting] = [
        Setting("KEY", "", "keys that sign URLs, in hexadecimal, separated by commas", isSecret: true) {
            $0.unread.keys = $1
        },
        Setting("SALT", "", "the salts of the keys, in hexadecimal, separated by commas", isSecret: true) {
            $0.unread.salts = $1
        },
        Setting("SIGNATURE_SIZE", "32", "bytes of a signature") {
            $0.urls.signatureSize = try whole($1, 1...32)
        },
        Setting("TRUSTED_SIGNATURES", "", "strings that are accepted as signatures", isSecret: true) {
            $0.urls.trustedSignatures = try list($1)
        },
        Setting("PATH_PREFIX", "", "the prefix of paths, such as /img") {
            guard $1.hasPrefix("/") else { throw Rejected("a path that starts with /") }
            $0.urls.pathPrefix = $1
        },
        Setting("ARGUMENTS_SEPARATOR", ":", "the separator of an option's arguments") {
            guard !$1.contains("/") else { throw Rejected("a text without /") }
            $0.urls.argumentsSeparator = $1
        },
        Setting("PRESETS", "", "options by name: NAME=rs:fill:100:100/q:70,…") {
            $0.unread.presetsText = $1
        },
        Setting("PRESETS_SEPARATOR", ",", "the separator between two PRESETS") {
            $0.unread.presetsSeparator = $1
        },
        Setting("PRESETS_PATH", "", "a file of presets, one per line") {
            guard let text = try? String(contentsOfFile: $1, encoding: .utf8) else {
                throw Rejected("a file that can be read")
            }
            $0.unread.presets += text.split(whereSeparator: \.isNewline).map(String.init)
        },
        Setting("ONLY_PRESETS", "false", "whether URLs may only name presets") {
            $0.urls.onlyPresets = try truth($1)
        },
        Setting(
            "ALLOWED_PROCESSING_OPTIONS", "",
            "options that URLs may use, separated by commas; all by default"
        ) {
            $0.urls.allowedOptions = Set(try list($1))
        },
        Setting("ALLOW_SECURITY_OPTIONS", "false", "whether URLs may change limits") {
            $0.urls.allowsSecurityOptions = try truth($1)
        },
        Setting("BASE_URL", "", "the prefix of sources that don't start with it") { $0.urls.baseURL = $1 },
        Setting("URL_REPLACEMENTS", "", "replacements in sources: pattern=text;…") {
            guard let replacements = URLReplacement.list($1) else {
                throw Rejected("replacements of the form pattern=text, separated by semicolons")
            }
            $0.urls.replacements = replacements
        },
        Setting(
            "BASE64_URL_INCLUDES_FILENAME", "false",
            "whether the last part of a base64 source is a file name"
        ) {
            $0.urls.base64IncludesFilename = try truth($1)
        },
        Setting("ALLOWED_SOURCES", "", "prefixes of sources, separated by commas; * is any text without /") {
            // No list without a part, which would allow every source.
            $0.urls.allowedSources = SourcePattern.list(try list($1).joined(separator: ","))
        },
        Setting("QUALITY", "80", "the quality, for formats without one in FORMAT_QUALITY") {
            $0.unread.quality = try whole($1, 1...100)
        },
        Setting("FORMAT_QUALITY", "webp=79,avif=63,jxl=77", "the quality by format: FORMAT=QUALITY,…") {
            $0.unread.formatQuality = $1
        },
        Setting("AUTO_ROTATE", "true", "whether images are rotated as their EXIF orientation says") {
            $0.urls.defaults.autoRotate = try truth($1)
        },
        Setting("STRIP_METADATA", "true", "whether metadata is removed") {
            $0.urls.defaults.stripMetadata = try truth($1)
        },
        Setting("KEEP_COPYRIGHT", "true", "whether copyright and artist are kept when metadata is removed") {
            $0.urls.defaults.keepCopyright = try truth($1)
        },
        Setting("STRIP_COLOR_PROFILE", "true", "whether images are converted to sRGB, without their profiles")
        {
            $0.urls.defaults.stripColorProfile = try truth($1)
        },
        Setting("PRESERVE_HDR", "false", "whether images keep more than 8 bits a channel, and HDR") {
            $0.urls.defaults.preserveHDR = try truth($1)
        },
        Setting("RETURN_ATTACHMENT", "false", "whether browsers save results instead of showing them") {
            $0.urls.defaults.returnsAttachment = try truth($1)
        },
        Setting("SKIP_PROCESSING_FORMATS", "", "formats that are sent unchanged") {
            $0.urls.defaults.skipProcessing = Set(try list($1).map(format))
        },
    ]
}
