package import Alcedo
import Foundation

#if Memcached
    import AlcedoMemcached
#endif

/// The cache that machines share, as the settings name it.
package struct SharedTier: Sendable {
    /// What it does, for Prometheus.
    struct Figures: Sendable {
        struct Node: Sendable {
            let server: String

            /// Whether it is left alone, as it has failed often.
            let isSuspended: Bool

            /// Failures by their kind.
            let errors: [String: Int]
        }

        let counts: SharedCacheCounts
        let nodes: [Node]
    }

    package let cache: SharedImageCache
    private let nodes: @Sendable () -> [Figures.Node]

    var figures: Figures { Figures(counts: cache.counts, nodes: nodes()) }

    #if Memcached
        /// The tier; nil if the settings name no server.
        package init?(_ settings: ServerCacheSettings) throws {
            try self.init(settings, client: MemcachedSettings()) { _ in }
        }

        /// The tier with the time limits of `client` and `change`; nil if the settings name no server.
        init?(
            _ settings: ServerCacheSettings, client: MemcachedSettings,
            change: (inout SharedCacheSettings) -> Void
        ) throws {
            guard !settings.memcached.isEmpty else { return nil }
            let store = try MemcachedStore(servers: settings.memcached, settings: client)
            cache = SharedImageCache(
                store,
                settings: SharedCacheSettings {
                    $0.secrets = [Data(settings.memcachedSecret)]
                    if !settings.memcachedNamespace.isEmpty { $0.namespace = settings.memcachedNamespace }
                    change(&$0)
                })
            nodes = {
                store.metrics.nodes.map {
                    Figures.Node(
                        server: $0.server, isSuspended: $0.state != .used, errors: $0.errors)
                }
            }
        }
    #else
        /// Nil: this build has no client for memcached, and the settings reject one.
        package init?(_ settings: ServerCacheSettings) throws { return nil }
    #endif
}

extension SharedTier.Figures {
    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        text.counters(
            "shared_cache_lookups_total", "Lookups in the shared cache.", ["result"],
            [
                (["hit"], counts.hits), (["miss"], counts.misses), (["failure"], counts.negativeHits),
                (["wrong"], counts.wrongValues),
            ])
        text.counters(
            "shared_cache_leases_total", "Leases for making a result; timed_out waited in vain.",
            ["outcome"],
            [
                (["won"], counts.leasesWon), (["lost"], counts.leasesLost),
                (["timed_out"], counts.leasesTimedOut),
            ])
        text.counter("shared_cache_writes_total", "Values stored in the shared cache.", counts.writes)
        text.counter(
            "shared_cache_failures_total", "Calls of the shared cache that failed or took too long.",
            counts.failures)
        text.counter(
            "shared_cache_skipped_total",
            "Calls left out as the shared cache or the key's server had failed often.",
            counts.skipped)
        text.counters(
            "shared_cache_errors_total", "Failed calls by server.", ["server", "code"],
            nodes.flatMap { node in node.errors.map { ([node.server, $0.key], $0.value) } })
        text.gauges(
            "shared_cache_breaker_open", "1 while a server is left alone as it has failed often.",
            ["server"], nodes.map { ([$0.server], $0.isSuspended ? 1 : 0) })
    }
}
