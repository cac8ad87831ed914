public import Foundation

extension TransportError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension TransportError: CustomNSError {
    /// URLSession's domain, so that code that looks at its errors understands these.
    public static var errorDomain: String { NSURLErrorDomain }

    /// URLSession's code that comes closest; -1, unknown, where there is none.
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
        case .notCached: NSURLErrorResourceUnavailable
        case .other: NSURLErrorUnknown
        }
    }

    /// The description, which is where `localizedDescription` looks for it.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
