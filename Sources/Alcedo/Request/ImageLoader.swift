public import Foundation

/// Loads the images of some URLs in place of the downloader, such as those of a scheme of the program's.
///
/// The image is cached under the URL's key, so loaders are called only for what the caches do not have.
public protocol ImageLoader: Sendable {
    /// What to load for `url`; nil if another loader or the downloader is to load it.
    ///
    /// A provider has the bytes; a network source names another URL, such as a signed one, which the downloader loads. The
    /// cache key of either has no effect. Called for each attempt of each load, on the thread that looked up the caches,
    /// which may be the main thread: it returns at once, and the provider does what takes time.
    func source(for url: URL) -> Source?
}
