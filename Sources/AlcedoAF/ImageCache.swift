import Foundation
public import FoundationNetworking

/// A cache of images by identifier.
public protocol ImageCache: Sendable {
    /// Adds an image; replaces the previous one.
    func add(_ image: Image, withIdentifier identifier: String)

    /// Removes an image; returns whether it existed.
    @discardableResult
    func removeImage(withIdentifier identifier: String) -> Bool

    /// Removes all images; returns whether any existed.
    @discardableResult
    func removeAllImages() -> Bool

    /// The image of an identifier; nil on a miss.
    func image(withIdentifier identifier: String) -> Image?
}

/// A cache of images by request and filter identifier.
public protocol ImageRequestCache: ImageCache {
    func add(_ image: Image, for request: URLRequest, withIdentifier identifier: String?)

    @discardableResult
    func removeImage(for request: URLRequest, withIdentifier identifier: String?) -> Bool

    /// The image of a request and an identifier; nil on a miss.
    func image(for request: URLRequest, withIdentifier identifier: String?) -> Image?
}
