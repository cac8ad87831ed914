import AlcedoPixels
import Foundation

extension Setting {
    static let sources: [Setting] = [
        Setting("DOWNLOAD_TIMEOUT", "5", "seconds for a download") {
            $0.sources.downloadTimeout = Double(try seconds($1))
        },
        Setting("MAX_REDIRECTS", "10", "redirects that a download follows") {
            $0.sources.maxRedirects = try whole($1, 0...100)
        },
        Setting("USER_AGENT", "Alcedo", "the User-Agent of downloads") {
            guard $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Refused("a text of ASCII characters")
            }
            $0.sources.userAgent = $1
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
        Setting("LOCAL_FILESYSTEM_ROOT", "", "the folder of local:/// sources; without it there are none") {
            $0.sources.localRoot = path($1)
        },
        Setting("MAX_SRC_FILE_SIZE", "0", "bytes of a source; 0 for 256 MiB") {
            $0.sources.maxFileSize = try whole($1, 0...Int.max)
        },
        Setting("MAX_SRC_RESOLUTION", "50", "megapixels of a source, of all its frames") {
            $0.answers.maxSourceResolution = try decimal($1, 0...10_000)
        },
        Setting("MAX_ANIMATION_FRAMES", "1", "frames of an animation; later ones are left out") {
            $0.answers.maxAnimationFrames = try whole($1, 1...100_000)
        },
        Setting("MAX_ANIMATION_FRAME_RESOLUTION", "0", "megapixels of a frame; 0 limits all together") {
            $0.answers.maxAnimationFrameResolution = try decimal($1, 0...10_000)
        },
        Setting("FALLBACK_IMAGE_DATA", "", "the image if a download fails, in base64") {
            $0.sources.fallback = .data(try base64($1))
        },
        Setting("FALLBACK_IMAGE_PATH", "", "the file with that image") {
            $0.sources.fallback = .path(path($1))
        },
        Setting("FALLBACK_IMAGE_URL", "", "the URL of that image") {
            $0.sources.fallback = .url(try webURL($1))
        },
        Setting("FALLBACK_IMAGE_HTTP_CODE", "200", "the status of responses with it; 0 for the error's") {
            let code = try whole($1, 0...599)
            guard code == 0 || code >= 100 else { throw Refused("0, or a status from 100 to 599") }
            $0.sources.fallbackStatus = code
        },
        Setting("FALLBACK_IMAGE_TTL", "0", "seconds that caches may keep it; 0 for TTL") {
            $0.sources.fallbackTTL = try whole($1, 0...Int.max)
        },
    ]

    static let answers: [Setting] = [
        Setting("TTL", "31536000", "seconds that caches may keep results; 0 for no-cache") {
            $0.answers.ttl = try whole($1, 0...Int.max)
        },
        Setting("CACHE_CONTROL_PASSTHROUGH", "false", "whether the source's Cache-Control is used instead") {
            $0.answers.passesCacheControl = try truth($1)
        },
        Setting("USE_ETAG", "true", "whether the source's ETag is sent") {
            $0.answers.usesETag = try truth($1)
        },
        Setting("USE_LAST_MODIFIED", "true", "whether the source's date is sent") {
            $0.answers.usesLastModified = try truth($1)
        },
        Setting("ETAG_BUSTER", "", "changes all ETags when it changes") {
            guard $1.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x2F }) else {
                throw Refused("ASCII characters without space, quotation mark and /")
            }
            $0.answers.etagBuster = $1
        },
        automatic("AUTO_WEBP", .webp), automatic("AUTO_AVIF", .avif), automatic("AUTO_JXL", .jxl),
        enforced("ENFORCE_WEBP", .webp), enforced("ENFORCE_AVIF", .avif), enforced("ENFORCE_JXL", .jxl),
        Setting("PREFERRED_FORMATS", "jpeg,png,gif", "formats of results if nothing else decides") {
            $0.answers.preferredFormats = try list($1).map(format)
        },
        Setting("SANITIZE_SVG", "true", "whether scripts are removed from SVG") {
            $0.answers.sanitizesSVG = try truth($1)
        },
        Setting("SET_CANONICAL_HEADER", "false", "whether Link names the source") {
            $0.answers.setsCanonicalLink = try truth($1)
        },
        Setting("ENABLE_CLIENT_HINTS", "false", "whether DPR and Width of requests are used") {
            $0.answers.usesClientHints = try truth($1)
        },
        Setting("ENABLE_DEBUG_HEADERS", "false", "whether responses show sizes, times and the cache's tier") {
            $0.answers.sendsDebugHeaders = try truth($1)
        },
        Setting("DEVELOPMENT_ERRORS_MODE", "false", "whether errors show their reason") {
            $0.answers.isDevelopment = try truth($1)
        },
        Setting("MAX_RESULT_DIMENSION", "0", "pixels of a result's longest side; 0 for no limit") {
            $0.answers.maxResultDimension = try whole($1, 0...65_535)
        },
        Setting("WATERMARK_DATA", "", "the watermark, in base64") {
            $0.answers.watermark = .data(try base64($1))
        },
        Setting("WATERMARK_PATH", "", "the file with the watermark") {
            $0.answers.watermark = .path(path($1))
        },
        Setting("WATERMARK_URL", "", "the URL of the watermark") {
            $0.answers.watermark = .url(try webURL($1))
        },
        Setting("WATERMARK_OPACITY", "1", "multiplied with the opacity of URLs") {
            $0.answers.watermarkOpacity = try decimal($1, 0...1)
        },
        Setting("KEEP_ORIGINALS", "false", "whether sources are cached too, for other sizes", isOwn: true) {
            $0.answers.keepsOriginals = try truth($1)
        },
        Setting(
            "SANDBOX", "prefer", "decode in restricted processes: require, prefer or off", isOwn: true
        ) {
            switch $1 {
            case "require": $0.answers.isolation = .required
            case "prefer": $0.answers.isolation = .isolated
            case "off": $0.answers.isolation = .inProcess
            default: throw Refused("require, prefer or off")
            }
        },
    ]

    private static func automatic(_ name: String, _ format: EncodedFormat) -> Setting {
        Setting(
            name, "false",
            "whether clients that accept it get \(format.rawValue) if the URL names no format"
        ) {
            if try truth($1) { $0.answers.automaticFormats.insert(format) }
        }
    }

    private static func enforced(_ name: String, _ format: EncodedFormat) -> Setting {
        Setting(
            name, "false", "whether clients that accept it get \(format.rawValue), whatever the URL names"
        ) {
            if try truth($1) { $0.answers.enforcedFormats.insert(format) }
        }
    }
}
