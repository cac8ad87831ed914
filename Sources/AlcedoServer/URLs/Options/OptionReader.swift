import AlcedoPixels

/// Applies options one after the other; later ones win.
struct OptionReader {
    private(set) var options: ProcessingOptions
    private let rules: URLRules
    private let now: Int

    /// The presets that are being applied.
    private var openPresets: [String] = []

    init(rules: URLRules, hints: ClientHints, now: Int) {
        self.rules = rules
        self.now = now
        options = hints.applied(to: rules.defaults)
    }

    /// Applies the segments that are options; returns the index of the first that isn't.
    mutating func applyOptions(_ segments: [ArraySlice<UInt8>]) throws(URLFailure) -> Int {
        if let first = segments.first, ResizingType(rawValue: first.text) != nil {
            throw URLFailure(
                .invalidURL, "the path is of imgproxy 2; write rs:\(first.text):width:height")
        }
        let separator = Array(rules.argumentsSeparator.utf8)
        for (index, segment) in segments.enumerated() {
            guard let option = OptionArguments(segment, separator: separator) else { return index }
            if let allowed = rules.allowedOptions, !allowed.contains(option.name) {
                throw option.failure("is not among the allowed options")
            }
            try apply(option)
        }
        return segments.count
    }

    // MARK: - Presets

    /// Applies the presets that the first segment names; returns the index of the source.
    mutating func applyPresets(_ segments: [ArraySlice<UInt8>]) throws(URLFailure) -> Int {
        guard let first = segments.first else {
            throw URLFailure(.invalidURL, "the path names no preset")
        }
        for name in first.parts(by: Array(rules.argumentsSeparator.utf8)) { try apply(preset: name.text) }
        return 1
    }

    mutating func applyDefaultPreset() throws(URLFailure) {
        if rules.presets["default"] != nil { try apply(preset: "default") }
    }

    private mutating func apply(preset name: String) throws(URLFailure) {
        guard let preset = rules.presets[name] else {
            throw URLFailure(.invalidURL, "the preset “\(name)” does not exist")
        }
        // One that names itself, directly or through others, is applied once.
        guard !openPresets.contains(name) else { return }
        openPresets.append(name)
        for option in preset.options { try apply(option) }
        openPresets.removeLast()
    }

    // MARK: - Options

    mutating func apply(format name: String) throws(URLFailure) {
        try apply(OptionArguments(name: "format", values: [name]))
    }

    mutating func apply(_ option: OptionArguments) throws(URLFailure) {
        switch option.name {
        case "preset", "pr":
            for name in option.all { try apply(preset: name) }
        case "max_src_resolution", "msr", "max_src_file_size", "msfs", "max_animation_frames", "maf",
            "max_animation_frame_resolution", "mafr", "max_result_dimension", "mrd":
            guard rules.allowsSecurityOptions else {
                throw URLFailure(
                    .forbiddenOption, "option “\(option.name)”: security options are not allowed")
            }
            try options.limits.apply(option)
        case "expires", "exp":
            try option.check(most: 1)
            let time = try option.integer(0)
            guard time == 0 || time >= now else { throw option.failure("the URL has expired") }
            options.expires = time == 0 ? nil : time
        default:
            if try options.applySize(option) { return }
            if try options.applyLook(option) { return }
            if try options.applyEncoding(option) { return }
            guard try options.applyOutput(option) else {
                throw option.failure("is unknown, or part of imgproxy Pro")
            }
        }
    }
}

extension SecurityLimits {
    fileprivate mutating func apply(_ option: OptionArguments) throws(URLFailure) {
        try option.check(most: 1)
        switch option.name {
        case "max_src_resolution", "msr": maxSourceResolution = try option.number(0, from: 0)
        case "max_src_file_size", "msfs": maxSourceFileSize = try option.integer(0)
        case "max_animation_frames", "maf": maxAnimationFrames = try option.integer(0)
        case "max_result_dimension", "mrd": maxResultDimension = try option.integer(0)
        default: maxAnimationFrameResolution = try option.number(0, from: 0)
        }
    }
}
