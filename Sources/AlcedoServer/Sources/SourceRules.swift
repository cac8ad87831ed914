package import Alcedo

/// The settings that decide how sources are loaded.
package struct SourceRules: Sendable {
    /// The addresses that sources may have; only public ones by default.
    package var addressPolicy = AddressPolicy.publicOnly

    /// The folder of `local` sources; nil, the default, has none.
    package var localRoot: String?

    /// The object stores; none by default.
    var stores: [ObjectAddress.Scheme: any SourceStore] = [:]

    /// The most redirects to follow.
    package var maxRedirects = 10

    /// Seconds for a download, redirects included.
    package var downloadTimeout = 5.0

    /// The largest source in bytes; 0 for 256 MiB.
    package var maxFileSize = 0

    /// Whether the certificates of origins are verified.
    package var verifiesServers = true

    package var userAgent = "Alcedo"

    /// The names of clients' headers that http sources are requested with; none by default.
    package var passedHeaders: [String] = []

    package var connectionsPerHost = 32

    /// Seconds for which a source from the network counts as unchanged at most; it may say less itself.
    package var revalidateAfter = 3600

    /// The image to process if a download fails; none by default.
    package var fallback: FixedImage?

    /// The status of a response with ``fallback``; 0 for the error's.
    package var fallbackStatus = 200

    /// Seconds that a response with ``fallback`` is fresh; 0 for the usual.
    package var fallbackTTL = 0

    package init() {}
}
