public import Alcedo
import AlcedoLocks
import Foundation
public import FoundationNetworking

/// The session that `AF.request(…)` uses.
public let AF = Session.default

/// Makes requests, with one configuration for all.
///
/// Of the configuration counts what counts for Alcedo's downloader, and also `urlCache` and the cache policies: responses
/// are kept by the rules of RFC 9111, up to the capacities of the `URLCache`. One of Foundation's own, whose storage is
/// not used, stands for one in memory and in a folder that all sessions of that kind share.
public final class Session: Sendable {
    /// The session that programs use unless they make their own.
    public static let `default` = Session()

    /// Whether a request starts with its first response handler; otherwise with its `resume()`.
    public let startRequestsImmediately: Bool

    private let engine: Alcedo.ImageDownloader
    private let foundationSession = Lock<URLSession?>(nil)

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - configuration: headers, time-outs, caches and so on; copied.
    ///   - startRequestsImmediately: whether a request starts with its first response handler.
    public init(
        configuration: URLSessionConfiguration = URLSessionConfiguration.af.default,
        startRequestsImmediately: Bool = true
    ) {
        self.startRequestsImmediately = startRequestsImmediately
        engine = Alcedo.ImageDownloader(name: "alamofire")
        engine.sessionConfiguration = configuration
        let adapted = engine.sessionConfiguration
        if let cache = configuration.urlCache, !(cache is HTTPCache) {
            adapted.urlCache = HTTPCache(
                memoryCapacity: cache.memoryCapacity, diskCapacity: cache.diskCapacity)
        }
        // As URLSession does; an image downloader would rather have images.
        var headers = adapted.httpAdditionalHeaders ?? [:]
        if !headers.keys.contains(where: { ($0 as? String)?.lowercased() == "accept" }) {
            headers["Accept"] = "*/*"
            adapted.httpAdditionalHeaders = headers
        }
        engine.sessionConfiguration = adapted
    }

    /// A session of Foundation's with this one's configuration, for code that reads that; requests don't go through it.
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

    /// Which addresses may be connected to, by redirects too; all by default.
    ///
    /// Set it before downloaders are made with the session: they take over what it is then.
    public var addressPolicy: AddressPolicy {
        get { engine.addressPolicy }
        set { engine.addressPolicy = newValue }
    }

    /// A request of these parts, which begins with its first response handler.
    ///
    /// - Parameters:
    ///   - convertible: the URL.
    ///   - method: the HTTP method.
    ///   - headers: header fields beside the session's own.
    ///   - requestModifier: changes the request before it is sent.
    /// - Returns: the request; if it can't be made, its handlers are told.
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

    /// A request, which begins with its first response handler.
    @discardableResult
    public func request(_ convertible: any URLRequestConvertible) -> DataRequest {
        make { try convertible.asURLRequest() }
    }

    /// Ends all requests that this session has made and that have begun.
    public func cancelAllRequests() { engine.cancelAll() }

    private func make(_ request: () throws -> URLRequest) -> DataRequest {
        DataRequest(
            AFResult(making: request).flatMap(Self.validated), engine: engine,
            startsImmediately: startRequestsImmediately)
    }

    private static func validated(_ request: URLRequest) -> AFResult<URLRequest> {
        guard request.method == .get, let body = request.httpBody, !body.isEmpty else {
            return .success(request)
        }
        return .failure(.urlRequestValidationFailed(reason: .bodyDataInGETRequest(body)))
    }

    /// A downloader of the engine's that shares the session's configuration, connections and HTTP cache.
    func makeEngine(
        _ prioritization: ImageDownloader.DownloadPrioritization, _ maximumActiveDownloads: Int
    ) -> Alcedo.ImageDownloader {
        let engine = Alcedo.ImageDownloader(name: "alamofireimage")
        engine.maximumActiveDownloads = maximumActiveDownloads
        engine.downloadOrder = prioritization == .fifo ? .fifo : .lifo
        engine.sessionConfiguration = sessionConfiguration
        engine.addressPolicy = addressPolicy
        return engine
    }
}

extension AFResult<URLRequest> {
    /// The request that `body` makes; its error, if it is not Alamofire's, becomes ``AFError/createURLRequestFailed(error:)``.
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
