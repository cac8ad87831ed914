import Alcedo
import AlcedoTransport
public import Foundation

/// An error of a request.
public enum AFError: Error {
    /// Why the validation of a response failed.
    public enum ResponseValidationFailureReason: Sendable {
        /// The body is empty.
        case dataFileNil
        /// The response has a body but no `Content-Type`.
        case missingContentType(acceptableContentTypes: [String])
        /// The content type of the response is not acceptable.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The status code of the response is not acceptable.
        case unacceptableStatusCode(code: Int)
        case customValidationFailed(error: any Error)
    }

    /// Why the serialization of a response failed.
    public enum ResponseSerializationFailureReason: Sendable {
        /// The body is empty.
        case inputDataNilOrZeroLength
        case customSerializationFailed(error: any Error)
    }

    /// Why a request is invalid.
    public enum URLRequestValidationFailureReason: Sendable {
        case bodyDataInGETRequest(Data)
    }

    case createURLRequestFailed(error: any Error)
    case explicitlyCancelled
    case invalidURL(url: any URLConvertible)
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    case sessionTaskFailed(error: any Error)
    case urlRequestValidationFailed(reason: URLRequestValidationFailureReason)

    // Alcedo never throws the errors below, because its sessions have no interceptors and are not invalidated. They
    // exist for source compatibility with Alamofire.

    case requestAdaptationFailed(error: any Error)
    case requestRetryFailed(retryError: any Error, originalError: any Error)
    case sessionDeinitialized
    case sessionInvalidated(error: (any Error)?)
}

extension AFError {
    public var isExplicitlyCancelledError: Bool {
        if case .explicitlyCancelled = self { true } else { false }
    }

    public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }

    public var isCreateURLRequestError: Bool {
        if case .createURLRequestFailed = self { true } else { false }
    }

    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = self { true } else { false }
    }

    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    public var isSessionTaskError: Bool { if case .sessionTaskFailed = self { true } else { false } }

    public var isRequestValidationError: Bool {
        if case .urlRequestValidationFailed = self { true } else { false }
    }

    public var isRequestAdaptationError: Bool {
        if case .requestAdaptationFailed = self { true } else { false }
    }

    public var isRequestRetryError: Bool { if case .requestRetryFailed = self { true } else { false } }

    public var isSessionDeinitializedError: Bool {
        if case .sessionDeinitialized = self { true } else { false }
    }

    public var isSessionInvalidatedError: Bool { if case .sessionInvalidated = self { true } else { false } }

    /// The unacceptable status code; nil for other errors.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self { code } else { nil }
    }

    /// The unacceptable content type; nil for other errors.
    public var responseContentType: String? {
        guard case .responseValidationFailed(.unacceptableContentType(_, let type)) = self else { return nil }
        return type
    }

    /// The acceptable content types; nil for other errors.
    public var acceptableContentTypes: [String]? {
        guard case .responseValidationFailed(let reason) = self else { return nil }
        switch reason {
        case .missingContentType(let types), .unacceptableContentType(let types, _): return types
        default: return nil
        }
    }

    /// The underlying error; nil if there is none.
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
    public var errorDescription: String? { description }
}

extension AFError: CustomStringConvertible {
    /// A description of the error; URLs appear without user info and without queries that may contain credentials.
    public var description: String { text.redactingURLs }

    private var text: String {
        switch self {
        case .createURLRequestFailed(let error): "Could not create the request: \(error.sentence)"
        case .explicitlyCancelled: "The request was cancelled."
        case .invalidURL(let url): "Could not parse the URL: \(ShownURL("\(url)"))"
        case .responseSerializationFailed(.inputDataNilOrZeroLength): "The response has no body."
        case .responseSerializationFailed(.customSerializationFailed(let error)):
            "Could not serialize the response: \(error.localizedDescription)"
        case .responseValidationFailed(let reason): reason.text
        case .sessionTaskFailed(let error): "The transfer failed: \(error.sentence)"
        case .urlRequestValidationFailed(.bodyDataInGETRequest(let data)):
            "A GET request must not have a body, but this one has \(data.count) bytes. Use another method."
        case .requestAdaptationFailed(let error): "Could not adapt the request: \(error.sentence)"
        case .requestRetryFailed(let error, let original):
            "Could not retry the request: \(error.sentence) The original error: \(original.sentence)"
        case .sessionDeinitialized: "The session was deallocated."
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
            "The response has no Content-Type; acceptable types: \(types.joined(separator: ", "))."
        case .unacceptableContentType(let types, let type):
            "The response has the type “\(type)”; acceptable types: \(types.joined(separator: ", "))."
        case .unacceptableStatusCode(let code): "The server responded with status \(code)."
        case .customValidationFailed(let error): "The custom validation failed: \(error.localizedDescription)"
        }
    }
}

extension Error {
    /// This error as an ``AFError``; nil if it is of another type.
    public var asAFError: AFError? { self as? AFError }
}
