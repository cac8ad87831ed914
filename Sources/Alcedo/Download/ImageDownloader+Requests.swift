import AlcedoLocks
package import AlcedoTransport
package import Foundation
import FoundationNetworking

// The requests of a downloader to its transport.

extension ImageDownloader {
    var session: SessionSettings { settings.withLock { $0.session } }

    /// A copy of the session configuration; creates one if none is set.
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

    /// The transport's request; `request` overrides the settings.
    func transportRequest(
        for url: URL,
        request: URLRequest?,
        options: KingfisherParsedOptionsInfo,
        credential: URLCredential? = nil
    ) -> TransportRequest {
        let (settings, session) = (settings.withLock { $0 }, session)
        return TransportRequest(url: url) { target in
            target.headers = session.headers
            target.connectionsPerHost = session.connectionsPerHost
            target.addressPolicy = settings.addressPolicy
            target.proxy = session.proxies.proxy(for: url)
            target.cookies = session.jar
            if settings.hasResponder { target.trustScope = settings.trustScope }
            target.priority = options.downloadPriority
            target.credential = credential.flatMap(TransportCredential.init)
            target.maximumBodyBytes = options.decodeLimits.encodedBytes
            let timeout = Duration(
                clamping: min(
                    request?.timeoutInterval ?? settings.downloadTimeout, session.requestTimeout ?? .infinity)
            )
            if let total = session.resourceTimeout { target.timeouts.total = Duration(clamping: total) }
            target.timeouts.connect = timeout
            target.timeouts.firstByte = timeout
            target.timeouts.stall = timeout
            target.cachePolicy = .reload
            if let request {
                target.apply(request)
                if !request.httpShouldHandleCookies { target.cookies = nil }
            }
            if case .byProtocol = target.cachePolicy { target.cachePolicy = session.cachePolicy }
            target.verifiesServer = settings.verifies(url)
        }
    }

    /// Copies a response's cookies to the configuration's storage, if there is one, and then calls `action`.
    func storeCookies(of response: TransportResponse, then action: @escaping @Sendable () -> Void) {
        guard let cookies = session.cookies else { return action() }
        cookies.afterResponse(response, action)
    }

    func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        session.credential(for: space)
    }

    var hasChallengeResponder: Bool { settings.withLock { $0.hasResponder } }

    /// A redirect's request with the settings for its own host: verification and proxy.
    func following(_ request: TransportRequest) -> TransportRequest {
        let (settings, session) = (settings.withLock { $0 }, session)
        var request = request
        request.verifiesServer = settings.verifies(request.url)
        request.proxy = session.proxies.proxy(for: request.url)
        return request
    }
}

extension DownloaderSettings {
    fileprivate func verifies(_ url: URL) -> Bool {
        guard let trustedHosts, let host = url.host() else { return true }
        return !trustedHosts.contains(host)
    }
}

extension TransportRequest {
    /// Copies method, headers and body; replaces headers of the same name.
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

extension KingfisherError {
    /// The error of a load that the address policy rejects.
    static func rejection(_ error: TransportError) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: error.urlError))
    }
}

extension ImageDownloader {
    /// Why `source` must not be loaded, not even from a cache; nil if it may.
    ///
    /// ``AddressPolicy/publicOnly`` rejects all file URLs, but not a provider that the program created for a file.
    func rejection(of source: Source) -> TransportError? {
        switch source {
        case .network(let resource): rejection(of: resource.downloadURL)
        case .provider(let provider as LocalFileImageDataProvider) where provider.isResource:
            rejection(of: provider.fileURL)
        case .provider: nil
        }
    }

    /// Why `url` must not be loaded, not even from a cache; nil if it may.
    package func rejection(of url: URL) -> TransportError? {
        guard addressPolicy.isRestricted, url.scheme?.lowercased() == "file" else { return nil }
        return .addressRejected("file:", url: url.absoluteString)
    }
}
