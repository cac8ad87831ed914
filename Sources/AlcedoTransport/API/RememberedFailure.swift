public import Foundation

/// A failure that a downloader remembers, so that it does not repeat the request.
public struct RememberedFailure: Sendable, Equatable {
    /// The HTTP status; nil if the body could not be decoded.
    public let status: Int?

    /// What failed: `status 404`, or why the body is no image.
    public let reason: String

    /// When it failed.
    public let date: Date

    /// When it is forgotten.
    public let expiration: Date

    /// A failure of `date`.
    public init(status: Int?, reason: String, date: Date, expiration: Date) {
        self.status = status
        self.reason = reason
        self.date = date
        self.expiration = expiration
    }
}
