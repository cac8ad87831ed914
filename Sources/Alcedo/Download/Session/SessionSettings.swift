import AlcedoTransport
import Foundation
import FoundationNetworking

/// The properties of a session configuration that are honoured.
///
/// Safe because the configuration is a copy that is never changed.
struct SessionSettings: @unchecked Sendable {
    private let configuration: URLSessionConfiguration?
    let headers: [(name: String, value: String)]
    let connectionsPerHost: Int

    /// The cookies; nil if the configuration disables them.
    let jar: CookieJar?

    /// Synchronizes the jar with the configuration's storage; nil until the program sets or reads a configuration.
    let cookies: CookieBridge?
    let proxies: ProxySettings

    /// The HTTP cache; nil for none.
    let responses: ResponseCache?
    let cachePolicy: CachePolicy

    /// In seconds; nil for Foundation's default.
    let requestTimeout: TimeInterval?
    let resourceTimeout: TimeInterval?

    /// The settings of Foundation's ephemeral configuration, without creating one, because Foundation then creates folders.
    init() {
        configuration = nil
        connectionsPerHost = 6
        jar = CookieJar()
        cookies = nil
        responses = nil
        cachePolicy = .byProtocol
        proxies = ProxySettings(nil)
        requestTimeout = nil
        resourceTimeout = nil
        headers = Self.defaultHeaders
    }

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
    fileprivate func unless(_ usual: TimeInterval) -> TimeInterval? { self == usual ? nil : self }
}
