package import AlcedoPixels

extension ProcessingOptions {
    /// Applies an option that decides about the response's bytes and headers; false if it isn't one.
    mutating func applyOutput(_ option: OptionArguments) throws(URLFailure) -> Bool {
        if try applyFlag(option) { return true }
        switch option.name {
        case "quality", "q":
            try option.check(most: 1)
            quality = try option.integer(0, in: 0...100)
        case "format_quality", "fq":
            guard option.count % 2 == 0 else {
                throw option.failure("takes pairs of a format and a quality")
            }
            for index in stride(from: 0, to: option.count, by: 2) {
                formatQuality[try Self.format(option, index)] = try option.integer(index + 1, in: 0...100)
            }
        case "max_bytes", "mb":
            try option.check(most: 1)
            maxBytes = try option.integer(0)
        case "format", "f", "ext":
            try option.check(most: 1)
            format = try Self.format(option, 0)
        case "skip_processing", "skp":
            for index in 0..<option.count { skipProcessing.insert(try Self.format(option, index)) }
        case "video_thumbnail_second", "vts":
            try option.check(most: 1)
            videoSecond = try option.number(0, from: 0)
        case "cachebuster", "cb":
            try option.check(most: 1)
            cachebuster = try option.text(0)
        case "filename", "fn":
            try option.check(most: 2)
            filename = try Self.filename(option)
        default: return false
        }
        return true
    }

    private mutating func applyFlag(_ option: OptionArguments) throws(URLFailure) -> Bool {
        let flag: WritableKeyPath<ProcessingOptions, Bool>
        switch option.name {
        case "strip_metadata", "sm": flag = \.stripMetadata
        case "keep_copyright", "kcr": flag = \.keepCopyright
        case "strip_color_profile", "scp": flag = \.stripColorProfile
        case "preserve_hdr", "ph": flag = \.preserveHDR
        case "enforce_thumbnail", "eth": flag = \.enforceThumbnail
        case "raw": flag = \.raw
        case "return_attachment", "att": flag = \.returnsAttachment
        default: return false
        }
        try option.check(most: 1)
        self[keyPath: flag] = option.bool(0)
        return true
    }

    private static func format(_ option: OptionArguments, _ index: Int) throws(URLFailure)
        -> EncodedFormat
    {
        let name = try option.text(index)
        guard let format = EncodedFormat(urlName: name) else {
            // What follows the `@` of a password in a source is the rest of its URL, maybe with a token.
            let isWord = name.utf8.allSatisfy { $0.isLetter || $0.isDigit }
            throw option.failure(
                isWord ? "“\(name)” is not a format" : "it is not a format; in a source, write %40 for an @")
        }
        return format
    }

    private static func filename(_ option: OptionArguments) throws(URLFailure) -> String {
        let name = try option.text(0)
        guard option.bool(1) else { return name }
        let letters = Array(name.utf8)
        let end = letters.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
        guard let decoded = Base64URL.decoded(letters[..<end])?[...].exactText else {
            throw option.failure("the name is not Base64 of UTF-8")
        }
        return decoded
    }
}

extension EncodedFormat {
    /// The format that an option or an extension names; `nil` for names that URLs don't know.
    package init?(urlName: String) {
        switch urlName {
        case "jpg", "jpeg": self = .jpeg
        case "png", "webp", "avif", "gif", "ico", "svg", "heic", "bmp", "tiff", "jxl":
            self.init(rawValue: urlName)
        default: return nil
        }
    }
}
