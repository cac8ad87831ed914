public import Foundation

/// Why a transfer failed.
@nonexhaustive
public enum TransportError: Error, Equatable {
    case cancelled
    case invalidURL(String, reason: String)

    /// The URL is none of `http`, `https`, `file` and `data`.
    case unsupportedScheme(String, url: String)

    /// A header field has an invalid name, or a line break in its value; or the method is invalid.
    case invalidHeader(name: String, url: String)

    case couldNotResolveHost(String, url: String)

    /// No connection could be opened, or there is no descriptor for one.
    case cannotConnect(reason: String, url: String)

    /// The proxy's name could not be resolved, or its address is invalid.
    case cannotUseProxy(String, reason: String, url: String)

    /// The host's address is not one of those that ``TransportRequest/addressPolicy`` allows.
    case addressRejected(String, url: String)

    /// One of ``TransportTimeouts`` has expired.
    case timedOut(TimeoutPhase, seconds: Double, url: String)

    /// The request was queued longer than ``TransportTimeouts/queue`` or a downloader's limit.
    case queueTimedOut(waitingFor: String, seconds: Double, url: String)

    /// The TLS handshake failed, or the server's certificate is invalid.
    case tls(reason: String, url: String)

    case serverRejected(url: String)

    /// The handler decides about certificates, but this libcurl does not provide them.
    case cannotAskAboutServer(reason: String, url: String)

    case authenticationCancelled(url: String)

    /// The connection ended before the body did; `expected` is nil if its length was not announced.
    case incompleteBody(received: Int64, expected: Int64?, url: String)

    /// The body has more bytes than ``TransportRequest/maximumBodyBytes``.
    case tooLarge(limit: Int, url: String)

    /// There were more redirects than ``TransportRequest/maximumRedirects``.
    case tooManyRedirects(limit: Int, url: String)

    case malformedResponse(reason: String, url: String)

    /// The transport does not follow the redirect.
    case rejectedRedirect(to: String, reason: String, url: String)

    case fileUnreadable(path: String, reason: String)

    /// The request allows only a cached response, and there is none.
    case notCached(url: String)

    /// The last load of the URL failed, and its downloader remembers that until the failure expires.
    case failedBefore(RememberedFailure, url: String)

    case rejected(url: String)

    /// The network is constrained, and the request may not use such a network.
    case constrainedNetwork(url: String)

    /// The connection broke before the response started.
    case connectionLost(reason: String, url: String)

    /// Any other error, with its text: libcurl's, or a negative code of URLSession's from a `URLProtocol` of the program's.
    case other(code: Int, reason: String, url: String)
}

// MARK: - CustomStringConvertible

extension TransportError: CustomStringConvertible {
    /// What failed, and the URL; without its user info, and without a query that may be a credential.
    public var description: String { text.redactingURLs }

    private var text: String {
        switch self {
        case .cancelled: "The transfer was cancelled."
        case .invalidURL(let url, let reason): "Could not use the URL “\(shown(url))”: \(reason)."
        case .unsupportedScheme(let scheme, let url):
            "Could not load a URL of scheme “\(scheme)”; use http, https, file or data: \(shown(url))"
        case .invalidHeader(let name, let url):
            "Could not send the header “\(name)”: its name is invalid, or its value has a line break: \(shown(url))"
        case .couldNotResolveHost(let host, let url): "Could not resolve host “\(host)”: \(shown(url))"
        case .cannotConnect(let reason, let url): "Could not connect (\(reason)): \(shown(url))"
        case .cannotUseProxy(let proxy, let reason, let url):
            "Could not use the proxy “\(proxy)” (\(reason)): \(shown(url))"
        case .addressRejected("", let url):
            "The connection has no address, and the request allows only public addresses: \(shown(url))"
        case .addressRejected(let address, let url):
            "“\(address)” is not a public address, and the request allows only those: \(shown(url))"
        case .timedOut(let phase, let seconds, let url):
            "\(phase.timeoutText) within \(seconds) s: \(shown(url))"
        case .queueTimedOut(let blocker, let seconds, let url):
            "The request did not start within \(seconds) s, because it waited for \(blocker): \(shown(url))"
        case .tls(let reason, let url): "Could not secure the connection (\(reason)): \(shown(url))"
        case .serverRejected(let url): "The server's certificate was rejected: \(shown(url))"
        case .cannotAskAboutServer(let reason, let url):
            "Could not get the server's certificate for approval (\(reason)): \(shown(url))"
        case .authenticationCancelled(let url): "Authentication was cancelled: \(shown(url))"
        case .incompleteBody(let received, let expected?, let url):
            "The connection closed after \(received) of \(expected) bytes: \(shown(url))"
        case .incompleteBody(let received, nil, let url):
            "The connection closed after \(received) bytes, before the end of the body: \(shown(url))"
        case .tooLarge(let limit, let url):
            "The body exceeds the limit of \(limit) bytes: \(shown(url))"
        case .tooManyRedirects(let limit, let url): "There were more than \(limit) redirects: \(shown(url))"
        case .malformedResponse(let reason, let url):
            "The server's response is malformed (\(reason)): \(shown(url))"
        case .rejectedRedirect(let target, let reason, let url):
            "The redirect to “\(shown(target))” was not followed (\(reason)): \(shown(url))"
        case .fileUnreadable(let path, let reason): "Could not read the file “\(path.shown)”: \(reason)."
        case .notCached(let url):
            "The cache has no response, and the request allows only cached ones: \(shown(url))"
        case .failedBefore(let failure, let url):
            "The request was not sent, because it failed at \(failure.date.formatted(.iso8601)) and that is remembered until "
                + "\(failure.expiration.formatted(.iso8601)) (\(failure.reason)): \(shown(url))"
        case .rejected(let url): "The handler rejected the response: \(shown(url))"
        case .constrainedNetwork(let url):
            "The network is constrained, and the request may not use it: \(shown(url))"
        case .connectionLost(let reason, let url): "The connection was lost (\(reason)): \(shown(url))"
        case .other(let code, let reason, let url):
            "The transfer failed (\(reason), code \(code)): \(shown(url))"
        }
    }
}

extension TimeoutPhase {
    var timeoutText: String {
        switch self {
        case .connect: "Could not connect"
        case .firstByte: "The server did not respond"
        case .stall: "The server sent no more data"
        case .total: "The transfer did not finish"
        }
    }
}

/// The URL, cut after 300 bytes: a `data` URL can have megabytes.
private func shown(_ url: String) -> String {
    let url = ShownURL(url).description
    return url.utf8.count <= 300 ? url : String(url.prefix(300)) + "…"
}

extension TransportError: LocalizedError {
    public var errorDescription: String? { description }
}

extension TransportError: CustomNSError {
    /// URLSession's domain, for code that handles URLSession's errors.
    public static var errorDomain: String { NSURLErrorDomain }

    /// The closest code of URLSession's; -1, unknown, if there is none.
    public var errorCode: Int {
        switch self {
        case .cancelled, .rejected: NSURLErrorCancelled
        case .invalidURL, .invalidHeader: NSURLErrorBadURL
        case .unsupportedScheme: NSURLErrorUnsupportedURL
        case .couldNotResolveHost: NSURLErrorCannotFindHost
        case .cannotConnect, .cannotUseProxy, .addressRejected: NSURLErrorCannotConnectToHost
        case .timedOut, .queueTimedOut: NSURLErrorTimedOut
        case .tls, .cannotAskAboutServer: NSURLErrorSecureConnectionFailed
        case .serverRejected: NSURLErrorServerCertificateUntrusted
        case .authenticationCancelled: NSURLErrorUserCancelledAuthentication
        case .incompleteBody, .connectionLost: NSURLErrorNetworkConnectionLost
        case .tooLarge: NSURLErrorDataLengthExceedsMaximum
        case .tooManyRedirects: NSURLErrorHTTPTooManyRedirects
        case .malformedResponse: NSURLErrorBadServerResponse
        case .rejectedRedirect: NSURLErrorRedirectToNonExistentLocation
        case .fileUnreadable: NSURLErrorCannotOpenFile
        case .constrainedNetwork: NSURLErrorDataNotAllowed
        case .notCached, .failedBefore: NSURLErrorResourceUnavailable
        case .other(let code, _, _): code < 0 ? code : NSURLErrorUnknown
        }
    }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// A failure that a downloader remembers, so that it does not repeat the request.
public struct RememberedFailure: Sendable, Equatable {
    /// The HTTP status; nil if the body could not be decoded.
    public let status: Int?

    /// What failed: `status 404`, or why the body is no image.
    public let reason: String

    /// When it failed.
    public let date: Date

    /// When it is forgotten.
    public let expiration: Date

    public init(status: Int?, reason: String, date: Date, expiration: Date) {
        self.status = status
        self.reason = reason
        self.date = date
        self.expiration = expiration
    }
}
