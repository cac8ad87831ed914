import AlcedoLocks
import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// What can be set on a downloader while it works.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var trustedHosts: Set<String>?
    var delegate = WeakDelegate()
    var session = SessionSettings(.ephemeral)
}

/// A delegate, not kept alive.
///
/// Safe because the reference itself is only changed under the downloader's lock; the delegate's methods are called
/// on several threads, as Kingfisher's are.
struct WeakDelegate: @unchecked Sendable {
    weak var value: (any ImageDownloaderDelegate)?
}

/// What a transport can honour of a session configuration.
///
/// Safe because the configuration is a copy that nobody changes.
struct SessionSettings: @unchecked Sendable {
    let configuration: URLSessionConfiguration
    let headers: [(name: String, value: String)]
    let connectionsPerHost: Int

    init(_ configuration: URLSessionConfiguration) {
        self.configuration = configuration
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        var headers = (configuration.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        let given = Set(headers.map { $0.0.lowercased() })
        let usual = [("Accept", "image/*,*/*;q=0.8"), ("User-Agent", SessionSettings.userAgent)]
        headers += usual.filter { !given.contains($0.0.lowercased()) }
        self.headers = headers.map { (name: $0.0, value: $0.1) }
    }

    private static let userAgent = ProcessInfo.processInfo.processName + " (Alcedo)"
}

extension ImageDownloader {
    /// The longest wait for a connection, for the first byte, and between two bytes, in seconds; 15 by default.
    ///
    /// Each counts from when the request leaves the queue.
    public var downloadTimeout: TimeInterval {
        get { settings.withLock { $0.downloadTimeout } }
        set { settings.withLock { $0.downloadTimeout = newValue } }
    }

    /// Hosts whose certificates are not verified; nil by default.
    public var trustedHosts: Set<String>? {
        get { settings.withLock { $0.trustedHosts } }
        set { settings.withLock { $0.trustedHosts = newValue } }
    }

    /// Watches, checks and changes downloads; not kept alive.
    public var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock { $0.delegate }.value }
        set {
            let delegate = WeakDelegate(value: newValue)
            settings.withLock { $0.delegate = delegate }
        }
    }

    /// Additional headers and connections per host (6 by default) are honoured; what concerns URLSession's own
    /// cache, cookies and cellular networks is not.
    ///
    /// Setting it ends every transfer of this downloader.
    public var sessionConfiguration: URLSessionConfiguration {
        get { settings.withLock { $0.session }.configuration }
        set {
            let session = SessionSettings(newValue)
            settings.withLock { $0.session = session }
            cancelAll()
        }
    }
}

// MARK: - Requests

extension ImageDownloader {
    func plainRequest(for url: URL) -> URLRequest {
        URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
    }

    /// What the transport is asked for; `request` overrides what the settings say.
    func transportRequest(
        for url: String,
        host: String?,
        request: URLRequest?,
        options: KingfisherParsedOptionsInfo
    ) -> TransportRequest {
        let settings = settings.withLock { $0 }
        return TransportRequest(url: url) { wanted in
            wanted.headers = settings.session.headers
            wanted.connectionsPerHost = settings.session.connectionsPerHost
            wanted.priority = options.downloadPriority
            wanted.maximumBodyBytes = options.decodeLimits.encodedBytes
            if let trusted = settings.trustedHosts, let host {
                wanted.verifiesServer = !trusted.contains(host)
            }
            let timeout = request?.timeoutInterval ?? settings.downloadTimeout
            wanted.timeouts.connect = timeout
            wanted.timeouts.firstByte = timeout
            wanted.timeouts.stall = timeout
            if let request { wanted.apply(request) }
        }
    }
}

extension TransportRequest {
    /// Takes over method, headers and body; a header that is here already is replaced.
    mutating func apply(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        body = request.httpBody
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
            headers.append((name, value))
        }
    }
}
