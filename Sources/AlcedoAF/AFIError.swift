public import Foundation

public typealias AFIDataResponse<Success> = DataResponse<Success, AFIError>

public typealias AFIResult<Success> = Result<Success, AFIError>

/// An error of an image request.
public enum AFIError: Error {
    /// The request was cancelled, or the view is loading the same URL already.
    case requestCancelled
    /// The response is not a valid image.
    case imageSerializationFailed
    case alamofireError(AFError)

    /// Whether the request was cancelled, or the view is loading the same URL already.
    public var isRequestCancelledError: Bool { if case .requestCancelled = self { true } else { false } }

    /// Whether the response is not a valid image.
    public var isImageSerializationFailedError: Bool {
        if case .imageSerializationFailed = self { true } else { false }
    }

    /// Whether the request failed.
    public var isAlamofireError: Bool { if case .alamofireError = self { true } else { false } }

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
    public var errorDescription: String? {
        switch self {
        case .requestCancelled: "The request was cancelled."
        case .imageSerializationFailed: "Could not decode the response as an image."
        case .alamofireError(let error): error.errorDescription
        }
    }
}
