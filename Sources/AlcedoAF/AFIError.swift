public import Foundation

/// A response whose errors are AlamofireImage's.
public typealias AFIDataResponse<Success> = DataResponse<Success, AFIError>

/// A result whose errors are AlamofireImage's.
public typealias AFIResult<Success> = Result<Success, AFIError>

/// Why there is no image.
public enum AFIError: Error {
    /// Somebody cancelled it, or asked for the same again.
    case requestCancelled
    /// The bytes are no image.
    case imageSerializationFailed
    /// The request failed.
    case alamofireError(AFError)

    /// Whether somebody cancelled it, or asked for the same again.
    public var isRequestCancelledError: Bool { if case .requestCancelled = self { true } else { false } }

    /// Whether the bytes are no image.
    public var isImageSerializationFailedError: Bool {
        if case .imageSerializationFailed = self { true } else { false }
    }

    /// Whether the request failed.
    public var isAlamofireError: Bool { if case .alamofireError = self { true } else { false } }

    /// What a request's error is called here.
    init(_ error: AFError) {
        if case .explicitlyCancelled = error {
            self = .requestCancelled
        } else if let own = error.underlyingError as? AFIError {
            self = own
        } else {
            self = .alamofireError(error)
        }
    }
}

extension AFIError: LocalizedError {
    /// A sentence that says what went wrong.
    public var errorDescription: String? {
        switch self {
        case .requestCancelled: "The request was cancelled."
        case .imageSerializationFailed: "The response is no image that can be decoded."
        case .alamofireError(let error): error.errorDescription
        }
    }
}
