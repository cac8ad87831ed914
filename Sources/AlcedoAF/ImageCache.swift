import Foundation
public import FoundationNetworking

/// Keeps images under names.
public protocol ImageCache: Sendable {
    /// Keeps an image, in place of what was there.
    func add(_ image: Image, withIdentifier identifier: String)

    /// Removes an image; whether there was one.
    @discardableResult
    func removeImage(withIdentifier identifier: String) -> Bool

    /// Removes all images; whether there were any.
    @discardableResult
    func removeAllImages() -> Bool

    /// The image of that name; nil if there is none.
    func image(withIdentifier identifier: String) -> Image?
}

/// Keeps images under the requests that they came from, and the names of what was made of them.
public protocol ImageRequestCache: ImageCache {
    /// Keeps an image, in place of what was there.
    func add(_ image: Image, for request: URLRequest, withIdentifier identifier: String?)

    /// Removes an image; whether there was one.
    @discardableResult
    func removeImage(for request: URLRequest, withIdentifier identifier: String?) -> Bool

    /// The image of that request and name; nil if there is none.
    func image(for request: URLRequest, withIdentifier identifier: String?) -> Image?
}
