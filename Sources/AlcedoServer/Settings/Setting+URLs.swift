import Foundation

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
        Setting("TRUSTED_SIGNATURES", "", "texts that are valid as signatures", isSecret: true) {
            $0.urls.trustedSignatures = list($1)
        },
        Setting("PATH_PREFIX", "", "the prefix of paths, such as /img") {
            guard $1.hasPrefix("/") else { throw Refused("a path that begins with /") }
            $0.urls.pathPrefix = $1
        },
        Setting("ARGUMENTS_SEPARATOR", ":", "the separator of an option's arguments") {
            guard !$1.contains("/") else { throw Refused("a text without /") }
            $0.urls.argumentsSeparator = $1
        },
        Setting("PRESETS", "", "options by name: NAME=rs:fill:100:100/q:70,…") {
            $0.unread.presets += $1.split(separator: ",").map(String.init)
        },
        Setting("PRESETS_PATH", "", "a file of presets, one a line") {
            guard let text = try? String(contentsOfFile: $1, encoding: .utf8) else {
                throw Refused("a file that can be read")
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
            $0.urls.allowedOptions = Set(list($1))
        },
        Setting("ALLOW_SECURITY_OPTIONS", "false", "whether URLs may change limits") {
            $0.urls.allowsSecurityOptions = try truth($1)
        },
        Setting("BASE_URL", "", "the prefix of sources that don't start with it") { $0.urls.baseURL = $1 },
        Setting("URL_REPLACEMENTS", "", "changes of sources: pattern=text;…") {
            $0.urls.replacements = try URLReplacement.list($1)
        },
        Setting(
            "BASE64_URL_INCLUDES_FILENAME", "false",
            "whether the last part of a base64 source is a file name"
        ) {
            $0.urls.base64IncludesFilename = try truth($1)
        },
        Setting("ALLOWED_SOURCES", "", "prefixes of sources, separated by commas; * is any text without /") {
            $0.urls.allowedSources = SourcePattern.list($1)
        },
        Setting("QUALITY", "80", "the quality of formats without one of their own") {
            $0.unread.quality = try whole($1, 1...100)
        },
        Setting("FORMAT_QUALITY", "webp=79,avif=63,jxl=77", "the quality of formats") {
            $0.unread.formatQuality = $1
        },
        Setting("AUTO_ROTATE", "true", "whether images are turned as their EXIF says") {
            $0.urls.defaults.autoRotate = try truth($1)
        },
        Setting("STRIP_METADATA", "true", "whether metadata is removed") {
            $0.urls.defaults.stripMetadata = try truth($1)
        },
        Setting("KEEP_COPYRIGHT", "true", "whether the copyright and the artist are kept then") {
            $0.urls.defaults.keepCopyright = try truth($1)
        },
        Setting("STRIP_COLOR_PROFILE", "true", "whether images are converted to sRGB") {
            $0.urls.defaults.stripColorProfile = try truth($1)
        },
        Setting("RETURN_ATTACHMENT", "false", "whether browsers save results instead of showing them") {
            $0.urls.defaults.returnsAttachment = try truth($1)
        },
        Setting("SKIP_PROCESSING_FORMATS", "", "formats that are sent unchanged") {
            $0.urls.defaults.skipProcessing = Set(try list($1).map(format))
        },
    ]
}
