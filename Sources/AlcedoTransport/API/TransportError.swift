/// Why a transfer failed.
@nonexhaustive
public enum TransportError: Error, Equatable {
    /// The task was cancelled, or its transport was.
    case cancelled

    /// The URL cannot be read.
    case invalidURL(String, reason: String)

    /// The URL is none of `http`, `https`, `file` and `data`.
    case unsupportedScheme(String, url: String)

    /// A header field to be sent contains a line break, or its name is no name.
    case invalidHeader(name: String, url: String)

    /// Nobody knows the host's name.
    case couldNotResolveHost(String, url: String)

    /// There is no connection to be had, or no descriptor for one.
    case cannotConnect(reason: String, url: String)

    /// The proxy has no address, or its own is none.
    case cannotUseProxy(String, reason: String, url: String)

    /// The host's address is not one of those that ``TransportRequest/addressPolicy`` allows.
    case addressRefused(String, url: String)

    /// One of ``TransportTimeouts`` is up.
    case timedOut(TimeoutPhase, seconds: Double, url: String)

    /// The request has waited in a queue for as long as ``TransportTimeouts/queue`` or a downloader's limit allows.
    case queueTimedOut(waitingFor: String, seconds: Double, url: String)

    /// The connection cannot be secured, or the server is not whom it says it is.
    case tls(reason: String, url: String)

    /// The handler refused the server for its certificate.
    case serverRefused(url: String)

    /// The handler was to be asked about the server, but this libcurl cannot show its certificate.
    case cannotAskAboutServer(reason: String, url: String)

    /// The handler was asked who it is, and would rather not say.
    case authenticationCancelled(url: String)

    /// The connection ended before the body did; `expected` is nil if its length was not announced.
    case incompleteBody(received: Int64, expected: Int64?, url: String)

    /// The body has more bytes than ``TransportRequest/maximumBodyBytes``.
    case tooLarge(limit: Int, url: String)

    /// The server redirects more often than ``TransportRequest/maximumRedirects``.
    case tooManyRedirects(limit: Int, url: String)

    /// The server's answer is not HTTP as it should be.
    case malformedResponse(reason: String, url: String)

    /// The server redirects to where the transport will not go.
    case refusedRedirect(to: String, reason: String, url: String)

    /// The file cannot be read.
    case fileUnreadable(path: String, reason: String)

    /// Only the cache was to be asked, and does not have it.
    case notCached(url: String)

    /// The handler did not want the body.
    case rejected(url: String)

    /// The network is one to be spared, and the request was not to be sent over such a one.
    case constrainedNetwork(url: String)

    /// The connection broke before the response began.
    case connectionLost(reason: String, url: String)

    /// Anything else that libcurl can report: its code and its words.
    case other(code: Int, reason: String, url: String)
}

// MARK: - CustomStringConvertible

extension TransportError: CustomStringConvertible {
    /// A sentence that says what went wrong, and with which URL; that without user info, and without a query that may
    /// be a credential.
    public var description: String { text.redactingURLs }

    private var text: String {
        switch self {
        case .cancelled: "The transfer was cancelled."
        case .invalidURL(let url, let reason): "“\(shown(url))” is not a usable URL: \(reason)."
        case .unsupportedScheme(let scheme, let url):
            "“\(scheme)” URLs cannot be loaded; use http, https, file or data: \(shown(url))"
        case .invalidHeader(let name, let url):
            "The header “\(name)” cannot be sent, because of a line break or its name: \(shown(url))"
        case .couldNotResolveHost(let host, let url): "The host “\(host)” could not be found: \(shown(url))"
        case .cannotConnect(let reason, let url): "No connection could be made (\(reason)): \(shown(url))"
        case .cannotUseProxy(let proxy, let reason, let url):
            "The proxy “\(proxy)” cannot be used (\(reason)): \(shown(url))"
        case .addressRefused("", let url):
            "The connection has no address, and the request may go to a public one only: \(shown(url))"
        case .addressRefused(let address, let url):
            "“\(address)” is no public address, and the request may go to such a one only: \(shown(url))"
        case .timedOut(let phase, let seconds, let url):
            "\(phase.timeoutText) within \(seconds) s: \(shown(url))"
        case .queueTimedOut(let blocker, let seconds, let url):
            "The request did not start within \(seconds) s, because it waited for \(blocker): \(shown(url))"
        case .tls(let reason, let url): "The connection could not be secured (\(reason)): \(shown(url))"
        case .serverRefused(let url): "The server's certificate was refused: \(shown(url))"
        case .cannotAskAboutServer(let reason, let url):
            "The server's certificate cannot be shown for approval (\(reason)): \(shown(url))"
        case .authenticationCancelled(let url): "Authentication was cancelled: \(shown(url))"
        case .incompleteBody(let received, let expected?, let url):
            "The connection closed after \(received) of \(expected) bytes: \(shown(url))"
        case .incompleteBody(let received, nil, let url):
            "The connection closed after \(received) bytes, before the end of the body: \(shown(url))"
        case .tooLarge(let limit, let url):
            "The body is larger than the limit of \(limit) bytes: \(shown(url))"
        case .tooManyRedirects(let limit, let url): "There were more than \(limit) redirects: \(shown(url))"
        case .malformedResponse(let reason, let url):
            "The server's response is malformed (\(reason)): \(shown(url))"
        case .refusedRedirect(let target, let reason, let url):
            "The redirect to “\(shown(target))” was not followed (\(reason)): \(shown(url))"
        case .fileUnreadable(let path, let reason): "The file “\(path)” cannot be read: \(reason)."
        case .notCached(let url): "The cache, which alone was to be asked, does not have it: \(shown(url))"
        case .rejected(let url): "The response was turned down: \(shown(url))"
        case .constrainedNetwork(let url):
            "The network is constrained, and this was not to be loaded then: \(shown(url))"
        case .connectionLost(let reason, let url): "The connection was lost (\(reason)): \(shown(url))"
        case .other(let code, let reason, let url):
            "The transfer failed (\(reason), code \(code)): \(shown(url))"
        }
    }
}

extension TimeoutPhase {
    var timeoutText: String {
        switch self {
        case .connect: "The server could not be connected to"
        case .firstByte: "The server did not answer"
        case .stall: "The server sent nothing more"
        case .total: "The transfer did not finish"
        }
    }
}

/// The URL, or as much of it as helps: a `data` URL can have megabytes.
private func shown(_ url: String) -> String {
    let url = url.redactedURL
    return url.utf8.count <= 300 ? url : String(url.prefix(300)) + "…"
}
