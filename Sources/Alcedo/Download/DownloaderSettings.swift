import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// What can be set on a downloader while it works.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var trustedHosts: Set<String>?
    var addressPolicy = AddressPolicy.any
    var delegate = WeakDelegate()
    var responder = WeakResponder()
    /// Nil until it is needed or set: to make one takes as long as to load an image from the disk.
    var session: SessionSettings?
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
    private let configuration: URLSessionConfiguration
    let headers: [(name: String, value: String)]
    let connectionsPerHost: Int
    let cookies: CookieBridge?
    let proxies: ProxySettings

    /// Where responses are kept; nil for nowhere.
    let responses: ResponseCache?
    let cachePolicy: CachePolicy

    /// In seconds; nil where nobody has set another value than Foundation's.
    let requestTimeout: TimeInterval?
    let resourceTimeout: TimeInterval?

    init(_ configuration: URLSessionConfiguration) {
        self.configuration = Self.copy(configuration)
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        cookies = CookieBridge(configuration)
        responses = (configuration.urlCache as? HTTPCache)?.responses
        cachePolicy = CachePolicy(configuration.requestCachePolicy)
        proxies = ProxySettings(configuration.connectionProxyDictionary)
        let usual = Self.usualTimeouts
        requestTimeout = configuration.timeoutIntervalForRequest.unless(usual.request)
        resourceTimeout = configuration.timeoutIntervalForResource.unless(usual.resource)
        var headers = (configuration.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        let given = Set(headers.map { $0.0.lowercased() })
        let defaults = [("Accept", "image/*,*/*;q=0.8"), ("User-Agent", SessionSettings.userAgent)]
        headers += defaults.filter { !given.contains($0.0.lowercased()) }
        self.headers = headers.map { (name: $0.0, value: $0.1) }
    }

    /// What the credential storage has for a space that looks like this one: its own look-up wants the very same object.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage = configuration.urlCredentialStorage,
            let stored = storage.allCredentials.first(where: { $0.key.looksLike(space) })
        else { return nil }
        return storage.defaultCredential(for: stored.key) ?? stored.value.values.first
    }

    /// A copy that the receiver may change.
    var copiedConfiguration: URLSessionConfiguration { Self.copy(configuration) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? configuration
    }

    private static let usualTimeouts = {
        let usual = URLSessionConfiguration.ephemeral
        return (request: usual.timeoutIntervalForRequest, resource: usual.timeoutIntervalForResource)
    }()

    private static let userAgent = ProcessInfo.processInfo.processName + " (Alcedo)"
}

// MARK: - Requests

extension ImageDownloader {
    /// What the session configuration asks for.
    var session: SessionSettings {
        if let session = settings.withLock({ $0.session }) { return session }
        let usual = SessionSettings(.ephemeral)
        return settings.withLock { settings in
            let session = settings.session ?? usual
            settings.session = session
            return session
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
        session.cookies?.beforeRequest()
        let address = url.absoluteString
        return TransportRequest(url: address) { wanted in
            wanted.headers = session.headers
            wanted.connectionsPerHost = session.connectionsPerHost
            wanted.addressPolicy = settings.addressPolicy
            wanted.proxy = session.proxies.proxy(for: address)
            wanted.cookies = session.cookies?.jar
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

    /// Takes over what a response has set, if cookies are kept.
    func keepCookies(of response: TransportResponse) {
        session.cookies?.afterResponse(response)
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
