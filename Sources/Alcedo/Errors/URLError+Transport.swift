import AlcedoTransport
public import Foundation

extension TransportError {
    /// The error that `URLSession` would have failed with: its code is the closest, and ``Foundation/URLError/transportError``
    /// is this error.
    package var urlError: URLError {
        URLError(
            URLError.Code(rawValue: errorCode) ?? .unknown,
            userInfo: [NSLocalizedDescriptionKey: description, NSUnderlyingErrorKey: self])
    }
}

extension URLError {
    /// What failed exactly, if a transfer of Alcedo's failed with this error; nil for any other error.
    ///
    /// `code` is one of some thirty that `URLSession` knows. This has the timeout that expired, the byte counts of a body
    /// that was cut short, or the address that was refused.
    public var transportError: TransportError? { userInfo[NSUnderlyingErrorKey] as? TransportError }
}

extension Error {
    /// This error as the transport reported it, wrapped in a `URLError` or not; nil for any other error.
    package var transportError: TransportError? {
        self as? TransportError ?? (self as? URLError)?.transportError
    }

    /// One sentence: the transport's, if it reported the error, for a `URLError` prints its whole dictionary.
    package var sentence: String { transportError?.description ?? "\(self)" }
}
