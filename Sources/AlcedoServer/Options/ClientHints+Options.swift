extension ClientHints {
    /// The options with the values of the hints; invalid hints are ignored.
    func applied(to defaults: ProcessingOptions) -> ProcessingOptions {
        var options = defaults
        if let text = dpr, let dpr = Double(text), dpr > 0, dpr <= 8 { options.dpr = dpr }
        if let text = width, let width = Int(text), width > 0 {
            options.width = Rounding.halfAway(Double(width) / options.dpr)
        }
        return options
    }
}
