import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// What can be set on a downloader while it works.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var queueTimeout: TimeInterval = 0
    var trustedHosts: Set<String>?
    var addressPolicy = AddressPolicy.any
    var delegate = WeakDelegate()
    var responder = WeakResponder()
    /// What a session configuration asks for; of Foundation's own none is made before somebody wants to see it.
    var session = SessionSettings()
    var sessionDelegate = SessionDelegate()
    var requestsUsePipelining = false
    var isNetworkConstrained: (@Sendable () -> Bool)?

    /// Shares what a responder has decided about servers; a new responder decides anew.
    var trustScope = TrustScope()

    /// Whether somebody wants to decide about servers and credentials.
    var hasResponder: Bool { responder.value != nil || sessionDelegate.isCustom }
}

/// A delegate, not kept alive.
///
/// Safe because the reference itself is only changed under the downloader's lock; the delegate's methods are called
/// on several threads, as Kingfisher's are.
struct WeakDelegate: @unchecked Sendable {
    weak var value: (any ImageDownloaderDelegate)?
}

/// A responder, not kept alive.
///
/// Safe because the reference itself is only changed under the downloader's lock; its methods are asynchronous.
struct WeakResponder: @unchecked Sendable {
    weak var value: (any AuthenticationChallengeResponsible)?
}

/// What a transport can honour of a session configuration.
///
/// Safe because the configuration is a copy that nobody changes.
struct SessionSettings: @unchecked Sendable {
    private let configuration: URLSessionConfiguration?
    let headers: [(name: String, value: String)]
    let connectionsPerHost: Int

    /// Where cookies are kept; nil where none are wanted.
    let jar: CookieJar?

    /// Keeps the jar and a configuration's storage in step; nil without a configuration.
    let cookies: CookieBridge?
    let proxies: ProxySettings

    /// Where responses are kept; nil for nowhere.
    let responses: ResponseCache?
    let cachePolicy: CachePolicy

    /// In seconds; nil where nobody has set another value than Foundation's.
    let requestTimeout: TimeInterval?
    let resourceTimeout: TimeInterval?

    /// What Foundation's ephemeral configuration asks for, without making one: Foundation would make folders with it.
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

    /// What `configuration` asks for; its cookies join those of `jar`.
    init(
        _ configuration: URLSessionConfiguration, jar: CookieJar = CookieJar(trimsItself: false)
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

    /// What the credential storage has for a space that looks like this one: its own look-up wants the very same object.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage = configuration?.urlCredentialStorage,
            let stored = storage.allCredentials.first(where: { $0.key.looksLike(space) })
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

// MARK: - Requests

extension ImageDownloader {
    /// What the session configuration asks for.
    var session: SessionSettings { settings.withLock { $0.session } }

    /// A copy of the session configuration, which is made if nobody has set one.
    var copiedConfiguration: URLSessionConfiguration {
        let session = session
        if let configuration = session.copiedConfiguration { return configuration }
        FoundationFolders.makePrivate()
        let configuration = URLSessionConfiguration.ephemeral
        let made = SessionSettings(configuration, jar: session.jar ?? CookieJar())
        return settings.withLock { settings in
            // Another thread may have been first.
            if let configuration = settings.session.copiedConfiguration { return configuration }
            settings.session = made
            return configuration
        }
    }

    func plainRequest(for url: URL) -> URLRequest {
        URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
    }

    /// What the transport is asked for; `request` overrides what the settings say.
    func transportRequest(
        for url: URL,
        request: URLRequest?,
        options: KingfisherParsedOptionsInfo
    ) -> TransportRequest {
        let (settings, session) = (settings.withLock { $0 }, session)
        let address = url.absoluteString
        return TransportRequest(url: address) { wanted in
            wanted.headers = session.headers
            wanted.connectionsPerHost = session.connectionsPerHost
            wanted.addressPolicy = settings.addressPolicy
            wanted.proxy = session.proxies.proxy(for: address)
            wanted.cookies = session.jar
            if settings.hasResponder { wanted.trustScope = settings.trustScope }
            wanted.priority = options.downloadPriority
            wanted.credential = options.credential.flatMap(TransportCredential.init)
            wanted.maximumBodyBytes = options.decodeLimits.encodedBytes
            let timeout = min(
                request?.timeoutInterval ?? settings.downloadTimeout,
                session.requestTimeout ?? .infinity)
            if let total = session.resourceTimeout { wanted.timeouts.total = total }
            wanted.timeouts.connect = timeout
            wanted.timeouts.firstByte = timeout
            wanted.timeouts.stall = timeout
            wanted.cachePolicy = .reload
            if let request { wanted.apply(request) }
            if case .byProtocol = wanted.cachePolicy { wanted.cachePolicy = session.cachePolicy }
            wanted.verifiesServer = settings.verifies(url)
        }
    }

    /// Takes over what a response has set, if cookies are kept, and then calls `action`.
    func keepCookies(of response: TransportResponse, then action: @escaping @Sendable () -> Void) {
        guard let cookies = session.cookies else { return action() }
        cookies.afterResponse(response, action)
    }

    /// What the session configuration has for those who ask.
    func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        session.credential(for: space)
    }

    /// Whether somebody wants to decide about credentials.
    var asksForCredentials: Bool { settings.withLock { $0.hasResponder } }

    /// A redirect's request by the rules for its own host: verified unless that is trusted, through its own proxy.
    func following(_ request: TransportRequest) -> TransportRequest {
        let (settings, session) = (settings.withLock { $0 }, session)
        var request = request
        request.verifiesServer = settings.verifies(URL(string: request.url))
        request.proxy = session.proxies.proxy(for: request.url)
        return request
    }
}

extension DownloaderSettings {
    /// Whether the server of `url` has to prove who it is.
    fileprivate func verifies(_ url: URL?) -> Bool {
        guard let trustedHosts, let host = url?.host() else { return true }
        return !trustedHosts.contains(host)
    }
}

extension TransportRequest {
    /// Takes over method, headers and body; a header that is here already is replaced.
    mutating func apply(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        cachePolicy = CachePolicy(request.cachePolicy)
        body = request.httpBody
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
            headers.append((name, value))
        }
    }
}

extension CachePolicy {
    fileprivate init(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .byProtocol
        case .returnCacheDataElseLoad: self = .cachedElseLoad
        case .returnCacheDataDontLoad: self = .cachedOnly
        default: self = .reload
        }
    }
}

extension URLProtectionSpace {
    fileprivate func looksLike(_ other: URLProtectionSpace) -> Bool {
        host.caseInsensitiveCompare(other.host) == .orderedSame && port == other.port
            && isProxy() == other.isProxy() && realm == other.realm
            && (authenticationMethod == other.authenticationMethod
                || authenticationMethod == NSURLAuthenticationMethodDefault)
    }
}

extension TimeInterval {
    fileprivate func unless(_ usual: TimeInterval) -> TimeInterval? { self == usual ? nil : self }
}
