import AlcedoTransport
public import Foundation

extension TransportError {
    /// The closest `URLError`; its ``Foundation/URLError/transportError`` is this error.
    package var urlError: URLError {
        URLError(
            URLError.Code(rawValue: errorCode) ?? .unknown,
            userInfo: [NSLocalizedDescriptionKey: description, NSUnderlyingErrorKey: self])
    }
}

extension URLError {
    /// The details of a failed transfer of Alcedo; nil for other errors.
    ///
    /// Unlike `code`, it has the timeout that expired, the byte counts of a truncated body, or the rejected address.
    public var transportError: TransportError? { userInfo[NSUnderlyingErrorKey] as? TransportError }
}

extension Error {
    /// The transport's error, wrapped in a `URLError` or not; nil for other errors.
    package var transportError: TransportError? {
        self as? TransportError ?? (self as? URLError)?.transportError
    }

    /// One sentence: a transport's description, the C library's text, or what the error itself has for users.
    ///
    /// The descriptions of Foundation's errors contain dictionaries, and those of the program's often only their type.
    package var sentence: String {
        if let text = transportError?.description ?? (self as? POSIXError)?.reason { return text }
        if let text = (self as? any LocalizedError)?.errorDescription { return text }
        let text = (self as? any CustomNSError)?.errorUserInfo[NSLocalizedDescriptionKey] as? String
        return text ?? (self as? CocoaError)?.localizedDescription ?? "\(self)"
    }
}
