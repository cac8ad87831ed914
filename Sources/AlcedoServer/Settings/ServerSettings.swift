import Alcedo
package import AlcedoHTTPServer

/// The settings of an image server, read and checked.
package struct ServerSettings: Sendable {
    package var listen = ListenAddress.tcp(host: nil, port: 8080)
    package var limits = HTTPServerLimits()
    /// Images that are processed at a time.
    package var workers = 2
    /// Images that wait for a worker; 0 for no limit but ``HTTPServerLimits/connections``, nil for 64 for each worker.
    var givenQueueSize: Int?
    /// Images that wait for a worker; 0 for no limit but ``HTTPServerLimits/connections``.
    package var queueSize: Int { givenQueueSize ?? 64 * workers }
    /// Seconds from a request to its response.
    package var timeout = 10
    /// Seconds for running requests when the server stops.
    package var gracefulStopTimeout = 20

    var quotas: [Quotas.Kind: QuotaLimit] = [:]
    package var trustedProxies = TrustedProxies()
    /// A path of the health check beside `/health`; none if empty.
    var healthPath = ""
    /// What `Authorization: Bearer …` has to be; none if empty.
    package var secret = ""
    /// The value of `Access-Control-Allow-Origin`; none if empty.
    package var allowOrigin = ""
    /// Whether responses name the tier that had the image, and the time of each part of the work.
    var sendsDebugHeaders: Bool { responses.sendsDebugHeaders }

    /// Where metrics are; nil for nowhere.
    package var metricsListen: ListenAddress?
    package var metricsNamespace = ""
    package var traces = TraceSettings()
    package var logFormat = LogFormat.json
    /// Lines that matter less are left out.
    package var logLevel = LogLevel.info

    package var cache = ServerCacheSettings()
    package var addresses = SourceAddresses()
    package var urls = URLRules()
    package var sources = SourceRules()
    package var responses = ResponseRules()

    /// Texts that other settings are needed to understand.
    var unread = UnreadTexts()

    init() {}
}

/// The caches of results.
package struct ServerCacheSettings: Sendable {
    /// The folder of the disk cache; nil for the user's cache folder.
    package var folder: String?
    /// MiB of results in memory.
    package var memory = 64
    /// MiB of results on the disk; 0 keeps none there.
    package var disk = 1024
    /// `host:port` of memcached servers.
    package var memcached: [String] = []
    /// Signs what is kept in memcached.
    package var memcachedSecret: [UInt8] = []
    package var memcachedNamespace = ""
    /// Where results are kept that outlast the other caches; nil for nowhere.
    var bucket: ResultBucket.Place?
}

/// Addresses that are no public ones, and that sources may have.
package struct SourceAddresses: Sendable {
    package var allowsLoopback = false
    package var allowsLinkLocal = false
    package var allowsPrivate = false
}

/// Texts that are read when all other settings are known.
struct UnreadTexts: Sendable {
    var keys = ""
    var salts = ""
    var presetsText = ""
    var presetsSeparator = ","
    /// Of a file.
    var presets: [String] = []
    var quality = 80
    var formatQuality = ""
    var stores: [ObjectAddress.Scheme: UnreadStore] = [:]
    var aws = UnreadAWS()
    var google = UnreadGoogle()
    var resultBucket = UnreadBucket()
    var azure = UnreadAzure()
    var swift = UnreadSwift()
}

extension SourceAddresses {
    var policy: AddressPolicy {
        var ranges: AddressRanges = []
        if allowsLoopback { ranges.insert(.loopback) }
        if allowsLinkLocal { ranges.insert(.linkLocal) }
        if allowsPrivate { ranges.insert(.privateNetworks) }
        return ranges.isEmpty ? .publicOnly : .publicAnd(ranges)
    }
}
