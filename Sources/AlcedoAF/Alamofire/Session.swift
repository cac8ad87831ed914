public import Alcedo
import AlcedoLocks
import Foundation
public import FoundationNetworking

/// The session that `AF.request(…)` uses.
public let AF = Session.default

/// Creates requests with a shared configuration.
///
/// A session honours the same configuration properties as Alcedo's downloader, and also the cache policies. Responses are
/// cached by RFC 9111 in the configuration's `urlCache`, if that is an `HTTPCache`. With Foundation's default configuration
/// that is `URLCache.shared`, which the first such session replaces by an `HTTPCache` with the same capacities. Another
/// `URLCache` is not used, because Foundation's on Linux mixes up URLs that differ in their query: a `Diagnostic` says so,
/// and no response is cached.
public final class Session: Sendable {
    /// The session of `AF`, with the default configuration.
    public static let `default` = Session()

    /// Whether a request starts with its first response handler; if false, it starts with `resume()`.
    public let startRequestsImmediately: Bool

    private let engine: Alcedo.ImageDownloader
    private let transport: (any Transport)?
    private let foundationSession = Lock<URLSession?>(nil)

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: headers, timeouts, caches and other properties; copied.
    ///   - startRequestsImmediately: whether a request starts with its first response handler.
    ///   - transport: what sends the requests, such as AlcedoTesting's `MemoryTransport`; nil for the network.
    public init(
        configuration: URLSessionConfiguration = URLSessionConfiguration.af.default,
        startRequestsImmediately: Bool = true,
        transport: (any Transport)? = nil
    ) {
        self.startRequestsImmediately = startRequestsImmediately
        self.transport = transport
        engine = Self.engine("alamofire", transport)
        FoundationFolders.makePrivate()
        let adapted = configuration.copy() as? URLSessionConfiguration ?? configuration
        adapted.urlCache = Self.usableCache(of: configuration)
        IgnoredSettings.report(configuration.ignoredSettings(cachingIn: adapted.urlCache))
        // The default of URLSession; Alcedo's downloader would send image types.
        var headers = adapted.httpAdditionalHeaders ?? [:]
        if !headers.keys.contains(where: { ($0 as? String)?.lowercased() == "accept" }) {
            headers["Accept"] = "*/*"
            adapted.httpAdditionalHeaders = headers
        }
        engine.sessionConfiguration = adapted
    }

    private static func usableCache(of configuration: URLSessionConfiguration) -> URLCache? {
        guard let cache = configuration.urlCache, !(cache is HTTPCache) else { return configuration.urlCache }
        if configuration.hasUnusableCache { return nil }
        return SharedURLCache.isShared(cache)
            ? SharedURLCache.replacing()
            : HTTPCache(memoryCapacity: cache.memoryCapacity, diskCapacity: cache.diskCapacity)
    }

    /// A Foundation session with this session's configuration, for code that reads it; requests do not use it.
    public var session: URLSession {
        foundationSession.withLock { session in
            if let session { return session }
            let new = URLSession(configuration: sessionConfiguration)
            session = new
            return new
        }
    }

    /// A copy of the configuration.
    public var sessionConfiguration: URLSessionConfiguration { engine.sessionConfiguration }

    /// The addresses that requests and redirects may connect to; all by default.
    ///
    /// Set it before creating downloaders with the session: they copy its value.
    public var addressPolicy: AddressPolicy {
        get { engine.addressPolicy }
        set { engine.addressPolicy = newValue }
    }

    /// Hosts whose certificates are not verified; nil by default.
    ///
    /// Set it before creating downloaders with the session: they copy its value.
    public var trustedHosts: Set<String>? {
        get { engine.trustedHosts }
        set { engine.trustedHosts = newValue }
    }

    /// Creates a request from its parts; it starts with its first response handler.
    ///
    /// - Parameters:
    ///   - convertible: the URL.
    ///   - method: the HTTP method.
    ///   - headers: header fields in addition to the session's.
    ///   - requestModifier: changes the request before it is sent.
    /// - Returns: the request; if it could not be created, its handlers receive the error.
    @discardableResult
    public func request(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        headers: HTTPHeaders? = nil,
        requestModifier: ((inout URLRequest) throws -> Void)? = nil
    ) -> DataRequest {
        make {
            var request = try URLRequest(url: convertible, method: method, headers: headers)
            try requestModifier?(&request)
            return request
        }
    }

    /// Creates a request; it starts with its first response handler.
    @discardableResult
    public func request(_ convertible: any URLRequestConvertible) -> DataRequest {
        make { try convertible.asURLRequest() }
    }

    public func cancelAllRequests() { engine.cancelAll() }

    private func make(_ request: () throws -> URLRequest) -> DataRequest {
        let request = AFResult(making: request).flatMap(Self.validated)
        if case .success(let request) = request { IgnoredSettings.report(request.ignoredSettings) }
        return DataRequest(request, engine: engine, startsImmediately: startRequestsImmediately)
    }

    private static func validated(_ request: URLRequest) -> AFResult<URLRequest> {
        guard request.method == .get, let body = request.httpBody, !body.isEmpty else {
            return .success(request)
        }
        return .failure(.urlRequestValidationFailed(reason: .bodyDataInGETRequest(body)))
    }

    /// Creates a downloader that shares the session's configuration, connections and HTTP cache.
    func makeEngine(
        _ prioritization: ImageDownloader.DownloadPrioritization, _ maximumActiveDownloads: Int
    ) -> Alcedo.ImageDownloader {
        let engine = Self.engine("alamofireimage", transport)
        engine.maximumActiveDownloads = maximumActiveDownloads
        engine.downloadOrder = prioritization == .fifo ? .fifo : .lifo
        engine.sessionConfiguration = sessionConfiguration
        engine.addressPolicy = addressPolicy
        engine.trustedHosts = trustedHosts
        return engine
    }

    private static func engine(_ name: String, _ transport: (any Transport)?) -> Alcedo.ImageDownloader {
        transport.map { Alcedo.ImageDownloader(name: name, transport: $0) }
            ?? Alcedo.ImageDownloader(name: name)
    }
}

extension AFResult<URLRequest> {
    /// The request that `body` returns; errors other than ``AFError`` become
    /// ``AFError/createURLRequestFailed(error:)``.
    init(making body: () throws -> URLRequest) {
        do { self = .success(try body()) } catch {
            self = .failure(error.asAFError ?? .createURLRequestFailed(error: error))
        }
    }
}

extension URLSessionConfiguration: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: URLSessionConfiguration {
    /// Foundation's default configuration with Alamofire's header fields.
    public static var `default`: URLSessionConfiguration {
        FoundationFolders.makePrivate()
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = HTTPHeaders.default.dictionary
        return configuration
    }

    /// Foundation's ephemeral configuration with Alamofire's header fields.
    public static var ephemeral: URLSessionConfiguration {
        FoundationFolders.makePrivate()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = HTTPHeaders.default.dictionary
        return configuration
    }
}
