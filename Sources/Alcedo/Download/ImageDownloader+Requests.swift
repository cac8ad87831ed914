import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

// What a downloader asks its transport for.

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
    func storeCookies(of response: TransportResponse, then action: @escaping @Sendable () -> Void) {
        guard let cookies = session.cookies else { return action() }
        cookies.afterResponse(response, action)
    }

    /// What the session configuration has for those who ask.
    func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        session.credential(for: space)
    }

    /// Whether somebody wants to decide about credentials.
    var hasChallengeResponder: Bool { settings.withLock { $0.hasResponder } }

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
    init(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .byProtocol
        case .returnCacheDataElseLoad: self = .cachedElseLoad
        case .returnCacheDataDontLoad: self = .cachedOnly
        default: self = .reload
        }
    }
}
