public import Foundation

extension TransportError: LocalizedError {
    /// ``description``, for Foundation.
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
        case .cannotConnect, .cannotUseProxy, .addressRefused: NSURLErrorCannotConnectToHost
        case .timedOut, .queueTimedOut: NSURLErrorTimedOut
        case .tls, .cannotAskAboutServer: NSURLErrorSecureConnectionFailed
        case .serverRefused: NSURLErrorServerCertificateUntrusted
        case .authenticationCancelled: NSURLErrorUserCancelledAuthentication
        case .incompleteBody, .connectionLost: NSURLErrorNetworkConnectionLost
        case .tooLarge: NSURLErrorDataLengthExceedsMaximum
        case .tooManyRedirects: NSURLErrorHTTPTooManyRedirects
        case .malformedResponse: NSURLErrorBadServerResponse
        case .refusedRedirect: NSURLErrorRedirectToNonExistentLocation
        case .fileUnreadable: NSURLErrorCannotOpenFile
        case .constrainedNetwork: NSURLErrorDataNotAllowed
        case .notCached, .failedBefore: NSURLErrorResourceUnavailable
        case .other: NSURLErrorUnknown
        }
    }

    /// The description, for `localizedDescription`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
