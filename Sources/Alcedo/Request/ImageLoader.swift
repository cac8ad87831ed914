public import Foundation

/// Loads the images of some URLs in place of the downloader, such as those of a scheme of the program's.
///
/// The image is cached under the URL's key, so loaders are called only for what the caches do not have.
public protocol ImageLoader: Sendable {
    /// What to load for `url`; nil if another loader or the downloader is to load it.
    ///
    /// A provider has the bytes; a network source names another URL, such as a signed one, which the downloader loads. The
    /// cache key of either has no effect. Called for each attempt of each load, on a thread for what starts a load, which it
    /// may block; see <doc:YourCode>. It can't be cancelled: leave long work to the provider.
    func source(for url: URL) -> Source?
}
