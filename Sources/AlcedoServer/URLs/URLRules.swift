/// The settings that decide how URLs are read.
package struct URLRules: Sendable {
    /// Pairs of key and salt, of which any may sign; without one every signature passes.
    package var keys: [SigningKey] = []
    /// Bytes of a signature, 1–32.
    package var signatureSize = 32
    /// Signatures that pass as they are.
    package var trustedSignatures: [String] = []
    /// Precedes the signature, such as `/img`; with or without a `/` at its end.
    package var pathPrefix = ""
    package var argumentsSeparator = ":"
    /// Options by name; `default` is applied to all.
    package var presets: [String: Preset] = [:]
    package var onlyPresets = false
    /// Names of options that URLs may use, as URLs write them; `nil` allows all.
    package var allowedOptions: Set<String>?
    package var allowsSecurityOptions = false
    /// Put in front of sources that don't start with it.
    package var baseURL = ""
    package var replacements: [URLReplacement] = []
    package var base64IncludesFilename = false
    /// Prefixes of allowed sources; `nil` allows all.
    package var allowedSources: [SourcePattern]?
    /// The options before presets and URL.
    package var defaults = ProcessingOptions()

    package init() {}
}
