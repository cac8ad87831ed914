import Alcedo
import AlcedoTransport
public import Foundation

/// Why a request failed.
public enum AFError: Error {
    /// What a response was not accepted for.
    public enum ResponseValidationFailureReason: Sendable {
        /// There are no bytes.
        case dataFileNil
        /// The response does not say of which type it is, and something was expected.
        case missingContentType(acceptableContentTypes: [String])
        /// The response is of another type.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The response has another status.
        case unacceptableStatusCode(code: Int)
        /// A validation of one's own failed.
        case customValidationFailed(error: any Error)
    }

    /// What bytes could not become what they were to be for.
    public enum ResponseSerializationFailureReason: Sendable {
        /// There are no bytes.
        case inputDataNilOrZeroLength
        /// A serializer of one's own failed.
        case customSerializationFailed(error: any Error)
    }

    /// What is wrong with a request.
    public enum URLRequestValidationFailureReason: Sendable {
        /// A GET request has a body.
        case bodyDataInGETRequest(Data)
    }

    /// The request could not be made.
    case createURLRequestFailed(error: any Error)
    /// Somebody cancelled it.
    case explicitlyCancelled
    /// This is no URL.
    case invalidURL(url: any URLConvertible)
    /// The bytes could not become what they were to be.
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)
    /// The response was not accepted.
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    /// The transfer failed; `error` says how.
    case sessionTaskFailed(error: any Error)
    /// The request is none that can be sent.
    case urlRequestValidationFailed(reason: URLRequestValidationFailureReason)

    // What follows never happens here, where sessions have no interceptors and no end; it is there for Alamofire's code.

    /// An adapter of requests failed.
    case requestAdaptationFailed(error: any Error)
    /// A retrier failed.
    case requestRetryFailed(retryError: any Error, originalError: any Error)
    /// The session is gone.
    case sessionDeinitialized
    /// The session was invalidated.
    case sessionInvalidated(error: (any Error)?)
}

extension AFError {
    /// Whether somebody cancelled it.
    public var isExplicitlyCancelledError: Bool {
        if case .explicitlyCancelled = self { true } else { false }
    }

    /// Whether the URL is none.
    public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }

    /// Whether the request could not be made.
    public var isCreateURLRequestError: Bool {
        if case .createURLRequestFailed = self { true } else { false }
    }

    /// Whether the response was not accepted.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = self { true } else { false }
    }

    /// Whether the bytes could not become what they were to be.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    /// Whether the transfer failed.
    public var isSessionTaskError: Bool { if case .sessionTaskFailed = self { true } else { false } }

    /// Whether the request is none that can be sent.
    public var isRequestValidationError: Bool {
        if case .urlRequestValidationFailed = self { true } else { false }
    }

    /// Whether an adapter of requests failed.
    public var isRequestAdaptationError: Bool {
        if case .requestAdaptationFailed = self { true } else { false }
    }

    /// Whether a retrier failed.
    public var isRequestRetryError: Bool { if case .requestRetryFailed = self { true } else { false } }

    /// Whether the session is gone.
    public var isSessionDeinitializedError: Bool {
        if case .sessionDeinitialized = self { true } else { false }
    }

    /// Whether the session was invalidated.
    public var isSessionInvalidatedError: Bool { if case .sessionInvalidated = self { true } else { false } }

    /// The status that was not accepted; nil if that was not it.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self { code } else { nil }
    }

    /// The type that was not accepted; nil if that was not it.
    public var responseContentType: String? {
        guard case .responseValidationFailed(.unacceptableContentType(_, let type)) = self else { return nil }
        return type
    }

    /// The types that would have been accepted; nil if that was not it.
    public var acceptableContentTypes: [String]? {
        guard case .responseValidationFailed(let reason) = self else { return nil }
        switch reason {
        case .missingContentType(let types), .unacceptableContentType(let types, _): return types
        default: return nil
        }
    }

    /// The error beneath; nil if there is none.
    public var underlyingError: (any Error)? {
        switch self {
        case .createURLRequestFailed(let error), .sessionTaskFailed(let error): error
        case .requestAdaptationFailed(let error), .requestRetryFailed(let error, _): error
        case .sessionInvalidated(let error): error
        case .responseSerializationFailed(.customSerializationFailed(let error)): error
        case .responseValidationFailed(.customValidationFailed(let error)): error
        default: nil
        }
    }
}

extension AFError: LocalizedError {
    /// A sentence that says what went wrong; its URLs without user info, and without queries that may be credentials.
    public var errorDescription: String? { text.redactingURLs }

    private var text: String {
        switch self {
        case .createURLRequestFailed(let error): "The request could not be made: \(error.sentence)"
        case .explicitlyCancelled: "The request was cancelled."
        case .invalidURL(let url): "This is not a URL: \("\(url)".redactedURL)"
        case .responseSerializationFailed(.inputDataNilOrZeroLength): "The response has no body."
        case .responseSerializationFailed(.customSerializationFailed(let error)):
            "The response could not be turned into what was asked for: \(error.localizedDescription)"
        case .responseValidationFailed(let reason): reason.text
        case .sessionTaskFailed(let error): "The transfer failed: \(error.sentence)"
        case .urlRequestValidationFailed(.bodyDataInGETRequest(let data)):
            "A GET request can't have a body, and this one has \(data.count) bytes; use another method."
        case .requestAdaptationFailed(let error): "The request could not be adapted: \(error.sentence)"
        case .requestRetryFailed(let error, let original):
            "The request could not be retried: \(error.sentence) It had failed: \(original.sentence)"
        case .sessionDeinitialized: "The session is gone."
        case .sessionInvalidated(let error):
            "The session was invalidated" + (error.map { ": \($0.sentence)" } ?? ".")
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    fileprivate var text: String {
        switch self {
        case .dataFileNil: "The response has no body."
        case .missingContentType(let types):
            "The response does not say of which type it is; acceptable: \(types.joined(separator: ", "))."
        case .unacceptableContentType(let types, let type):
            "The response is of the type “\(type)”; acceptable: \(types.joined(separator: ", "))."
        case .unacceptableStatusCode(let code): "The server answered with the status \(code)."
        case .customValidationFailed(let error): "The response was refused: \(error.localizedDescription)"
        }
    }
}

extension Error {
    /// This error, if it is one of Alamofire's.
    public var asAFError: AFError? { self as? AFError }
}
