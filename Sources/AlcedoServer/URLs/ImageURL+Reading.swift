extension ImageURL {
    /// Checks and reads the target of a request: `/SIGNATURE/OPTIONS…/SOURCE`.
    ///
    /// The target is as received, not percent-decoded; a query is ignored. `hints` are the request's client hints,
    /// if the server uses them. `now` is Unix time, for `expires`.
    package init(
        requestTarget: [UInt8], rules: URLRules, hints: ClientHints = .none, now: Int
    ) throws(URLFailure) {
        let path = try RequestPath(requestTarget, prefix: rules.pathPrefix)
        try rules.check(path.signature, of: path.signed)
        let segments = path.signed.dropFirst().parts(by: .slash)
        var reader = OptionReader(rules: rules, hints: hints, now: now)
        try reader.applyDefaultPreset()
        let start = try rules.onlyPresets ? reader.applyPresets(segments) : reader.applyOptions(segments)
        let source = try SourceText(segments[start...], rules: rules)
        if let format = source.format { try reader.apply(format: format.text) }
        self.init(source: try rules.source(of: source.url), options: reader.options)
    }

    /// Checks and reads the target of a request.
    package init(
        requestTarget: String, rules: URLRules, hints: ClientHints = .none, now: Int
    ) throws(URLFailure) {
        try self.init(requestTarget: Array(requestTarget.utf8), rules: rules, hints: hints, now: now)
    }
}
