import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// The settings of a downloader; may be changed at any time.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var queueTimeout = Duration.zero
    var trustedHosts: Set<String>?
    var resumableDownloads: ResumableDownloads?
    var addressPolicy = AddressPolicy.any
    var hooks = WeakHooks()
    /// The settings of the session configuration; a configuration is created only when the program reads it.
    var session = SessionSettings()
    var sessionDelegate = SessionDelegate()
    var requestsUsePipelining = false
    var isNetworkConstrained: (@Sendable () -> Bool)?

    /// Shares a responder's decisions about servers; replaced with each new responder.
    var trustScope = TrustScope()

    /// Whether a responder or a session delegate decides about servers and credentials.
    var hasResponder: Bool { hooks.responder != nil || sessionDelegate.isCustom }
}

/// The program's objects that a downloader calls; weak references.
///
/// Safe because the references are only changed under the downloader's lock; the delegate's methods are called on several
/// threads, as Kingfisher's are, and the responder's are asynchronous.
struct WeakHooks: @unchecked Sendable {
    weak var delegate: (any ImageDownloaderDelegate)?
    weak var responder: (any AuthenticationChallengeResponsible)?
}

/// The properties of a session configuration that are honoured.
///
/// Safe because the configuration is a copy that is never changed.
struct SessionSettings: @unchecked Sendable {
    private var configuration: URLSessionConfiguration?
    private(set) var headers = Self.defaultHeaders
    private(set) var connectionsPerHost = 6

    /// The cookies; nil if the configuration disables them.
    let jar: CookieJar?

    /// Synchronizes the jar with the configuration's storage; nil until the program sets or reads a configuration.
    private(set) var cookies: CookieBridge?
    private(set) var proxies = ProxySettings(nil)

    /// The HTTP cache; nil for none.
    private(set) var responses: ResponseCache?
    private(set) var cachePolicy = CachePolicy.byProtocol

    /// The program's classes that load requests in place of the transport, in the order in which they are tried.
    private(set) var protocols: [URLProtocol.Type] = []

    /// In seconds; nil for Foundation's default.
    private(set) var requestTimeout: TimeInterval?
    private(set) var resourceTimeout: TimeInterval?

    /// The settings of Foundation's ephemeral configuration, without creating one, because Foundation then creates folders.
    init() { jar = CookieJar() }

    /// The settings of `configuration`; merges its cookies with those of `jar`.
    init(
        _ configuration: URLSessionConfiguration, jar: CookieJar = CookieJar(evictsAutomatically: false)
    ) {
        FoundationFolders.makePrivate()
        self.configuration = Self.copy(configuration)
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        cookies = CookieBridge(configuration, jar: jar)
        self.jar = cookies?.jar
        responses = (configuration.urlCache as? HTTPCache)?.responses
        cachePolicy = CachePolicy(configuration.requestCachePolicy)
        proxies = ProxySettings(configuration.connectionProxyDictionary)
        let usual = Self.usualTimeouts
        requestTimeout = configuration.timeoutIntervalForRequest.unless(usual.request)
        resourceTimeout = configuration.timeoutIntervalForResource.unless(usual.resource)
        var headers = (configuration.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        let given = Set(headers.map { $0.0.lowercased() })
        headers += Self.defaultHeaders.filter { !given.contains($0.name.lowercased()) }
        self.headers = headers.map { (name: $0.0, value: $0.1) }
        protocols = configuration.ownProtocols
        IgnoredSettings.report(configuration.ignoredSettings)
    }

    /// The stored credential for an equal protection space: the storage's own look-up needs the same object.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage = configuration?.urlCredentialStorage,
            let stored = storage.allCredentials.first(where: { $0.key.isEquivalent(to: space) })
        else { return nil }
        return storage.defaultCredential(for: stored.key) ?? stored.value.values.first
    }

    /// A copy that the receiver may change; nil without a configuration.
    var copiedConfiguration: URLSessionConfiguration? { configuration.map(Self.copy) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? configuration
    }

    private static let usualTimeouts = {
        let usual = URLSessionConfiguration.ephemeral
        return (request: usual.timeoutIntervalForRequest, resource: usual.timeoutIntervalForResource)
    }()

    private static let defaultHeaders = [
        (name: "Accept", value: "image/*,*/*;q=0.8"), (name: "User-Agent", value: userAgent),
    ]

    private static let userAgent = ProcessInfo.processInfo.processName + " (Alcedo)"
}

extension URLProtectionSpace {
    fileprivate func isEquivalent(to other: URLProtectionSpace) -> Bool {
        host.caseInsensitiveCompare(other.host) == .orderedSame && port == other.port
            && isProxy() == other.isProxy() && realm == other.realm
            && (authenticationMethod == other.authenticationMethod
                || authenticationMethod == NSURLAuthenticationMethodDefault)
    }
}

extension TimeInterval {
    /// Nil for Foundation's default, which it does not tell apart from a value that the program has set.
    fileprivate func unless(_ usual: TimeInterval) -> TimeInterval? { self == usual ? nil : self }
}
