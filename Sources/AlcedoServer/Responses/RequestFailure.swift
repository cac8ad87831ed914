import AlcedoLocks
import AlcedoPixels
import AlcedoTransport

/// Why a request has no image: for the client, and for the log.
struct RequestFailure: Error, Sendable, Equatable {
    var status: Int

    /// What every client may read.
    var text: String
    var kind: ErrorKind

    /// For the log, for clients in development, and for other machines: URLs in it are shown as ``ShownURL``s.
    private(set) var reason: String

    /// Whether the fallback image replaces it.
    var isOfDownload: Bool

    /// Whether there was no place for the work, so that it has not started.
    private(set) var isOfQueue = false

    /// Seconds after which a client may try again, if it may.
    private(set) var retryAfter = 1

    /// Whether it says nothing about the source, so that a kept result may still be right.
    var isPassing = false

    /// Whether the source has more bytes than allowed.
    var isOfSize = false

    /// Whether a kept result is wrong because of it: the source is gone, or is something else by now.
    var isOfSource: Bool { !isPassing && (isOfDownload || sharing != nil) }

    /// What other machines need to know; nil for a failure of this one or of the URL.
    var sharing: Sharing?

    init(status: Int, text: String, kind: ErrorKind, reason: String, isOfDownload: Bool = false) {
        (self.status, self.text, self.kind, self.isOfDownload) = (status, text, kind, isOfDownload)
        self.reason = reason.redactingURLs
    }
}

extension RequestFailure {
    /// The source can't be loaded; with the origin's status, if that is an error of the client.
    static func unreachable(_ reason: String, status: Int = 404, kind: ErrorKind = .download) -> Self {
        RequestFailure(
            status: status, text: "Source is unreachable", kind: kind, reason: reason, isOfDownload: true)
    }

    /// The source has an address that is not allowed.
    static func forbiddenSource(_ reason: String) -> Self {
        RequestFailure(
            status: 404, text: "Invalid source URL", kind: .security, reason: reason, isOfDownload: true)
    }

    /// The source has too many pixels or bytes, or a type that nothing reads.
    static func invalidSource(_ reason: String) -> Self {
        RequestFailure(
            status: 422, text: "Invalid source image", kind: .download, reason: reason, isOfDownload: true
        )
    }

    /// The source can't be decoded.
    static func broken(_ reason: String) -> Self {
        RequestFailure(
            status: 422, text: "Broken or unsupported image", kind: .processing, reason: reason)
    }

    /// The body of the source ends too early.
    static func incomplete(_ reason: String) -> Self {
        RequestFailure(
            status: 422, text: "Source response is incomplete", kind: .download, reason: reason,
            isOfDownload: true)
    }

    /// The URL requests a result that can't be created.
    static func unprocessable(_ reason: String) -> Self {
        RequestFailure(status: 422, text: "Invalid URL", kind: .processing, reason: reason)
    }

    static func internalError(_ reason: String) -> Self {
        RequestFailure(status: 500, text: "Internal error", kind: .unexpected, reason: reason)
    }

    static let timedOut = RequestFailure(
        status: 503, text: "Timeout", kind: .timeout, reason: "the request took longer than allowed"
    ).passing()

    static let cancelled = RequestFailure(
        status: 499, text: "Cancelled", kind: .streaming, reason: "the client went away")
}

extension RequestFailure {
    /// A URL that is rejected.
    init(_ failure: URLFailure) {
        let kind: ErrorKind =
            switch failure.kind {
            case .forbidden, .forbiddenOption, .forbiddenSource: .security
            case .invalidURL: .pathParsing
            case .unsupportedScheme: .download
            }
        self.init(
            status: failure.status, text: failure.publicText, kind: kind, reason: failure.reason)
    }

    /// A source that was not decoded.
    init(_ error: CodecError) {
        let reason = "the image could not be processed: \(error)"
        switch error {
        case .limitExceeded, .noFrame: self = .invalidSource(reason)
        case .unknownFormat: self = .invalidSource(reason).shared(.missing)
        case .truncated, .corrupt: self = .broken(reason).shared(.missing)
        case .unsupported: self = .broken(reason)
        case .timeLimitExceeded: self = .timedOut.with(reason: reason)
        case .outOfMemory, .encodingFailed: self = .internalError(reason)
        case .sandboxFailed(_, let failure):
            switch failure {
            case .unavailable: self = .internalError(reason)
            case .busy:
                self = RequestFailure(status: 429, text: "Too many requests", kind: .queue, reason: reason)
            default: self = .broken(reason)
            }
        }
    }

    /// Work for which there was no place.
    init(_ rejection: Admission.Rejection) {
        switch rejection {
        case .queueFull:
            self.init(
                status: 429, text: "Too many requests", kind: .queue,
                reason: "too many images are processed and wait")
        case .timedOut:
            self.init(
                status: 503, text: "Timeout", kind: .timeout,
                reason: "it had to wait for other images for too long")
        case .cancelled:
            self.init(
                status: 499, text: "Cancelled", kind: .timeout, reason: "the client closed the connection")
        }
        (isOfQueue, isPassing) = (true, rejection != .cancelled)
    }

    /// A request that is too many for one of its parties.
    init(_ excess: Quotas.Excess) {
        self.init(status: 429, text: "Too many requests", kind: .queue, reason: excess.reason)
        retryAfter = max(1, Int(excess.wait.seconds.rounded(.up)))
        (isOfQueue, isPassing) = (true, true)
    }

    /// Whether the response has a `Retry-After`.
    var mayBeRetried: Bool { status == 503 || status == 504 || isOfQueue && status == 429 }

    func shared(_ sharing: Sharing) -> Self {
        var copy = self
        copy.sharing = sharing
        return copy
    }

    func passing() -> Self {
        var copy = self
        copy.isPassing = true
        return copy
    }

    func with(reason: String) -> Self {
        var copy = self
        copy.reason = reason.redactingURLs
        return copy
    }
}
