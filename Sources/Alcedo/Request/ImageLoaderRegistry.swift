import AlcedoLocks
public import Foundation

/// Loads the images of some URLs in place of the downloader, such as those of a scheme of the program's.
///
/// The image is cached under the URL's key, so loaders are called only for what the caches do not have.
public protocol ImageLoader: Sendable {
    /// What to load for `url`; nil if another loader or the downloader is to load it.
    ///
    /// A provider has the bytes; a network source names another URL, such as a signed one, which the downloader loads. The
    /// cache key of either has no effect. Called for each attempt of each load, so that a signed URL is new, on a
    /// thread for what starts a load, which it may block; see <doc:YourCode>. It can't be cancelled: leave long work to
    /// the provider.
    func source(for url: URL) -> Source?
}

/// The loaders for URLs that the downloader is not to load.
///
/// The last registered loader is called first. If none has a source, the downloader loads the URL. Loaders are called for
/// all URLs of managers, views and prefetchers except file URLs, but not for a call of ``ImageDownloader`` itself.
/// Thread-safe.
public final class ImageLoaderRegistry: Sendable {
    /// The registry of loads whose options name none; empty at first.
    public static let shared = ImageLoaderRegistry()

    private struct State {
        /// In the order of registration.
        var loaders: [any ImageLoader] = [] {
            willSet { retainedLists.append(loaders) }
        }

        /// Earlier lists: readers use a list without the lock, so lists are retained and never changed in place (decision 0009).
        private var retainedLists: [[any ImageLoader]] = []
    }

    private let state = Lock(State())

    public init() {}

    /// Adds a loader, which is called before the present ones.
    public func register(_ loader: any ImageLoader) { state.withLock { $0.loaders.append(loader) } }

    /// Adds a loader for the URLs of one scheme, in any case.
    ///
    /// See ``ImageLoader/source(for:)`` for what `source` returns.
    public func register(scheme: String, source: @escaping @Sendable (URL) -> Source?) {
        register(SchemeLoader(scheme: scheme.lowercased(), content: source))
    }

    /// Removes the loaders for which `shouldBeRemoved` returns true, such as `{ $0 is AssetLoader }`.
    ///
    /// Applies to later loads.
    public func removeAll(where shouldBeRemoved: (any ImageLoader) throws -> Bool) rethrows {
        try state.withLock { $0.loaders = try $0.loaders.filter { try !shouldBeRemoved($0) } }
    }

    /// Removes the loaders that were registered for a scheme, in any case.
    public func removeAll(scheme: String) {
        removeAll { ($0 as? SchemeLoader)?.scheme == scheme.lowercased() }
    }

    /// Whether code of the program decides about `url`.
    func hasLoader(for url: URL) -> Bool {
        let loaders = state.withLock { $0.loaders }
        guard !loaders.isEmpty else { return false }
        let scheme = url.scheme?.lowercased()
        return loaders.contains { ($0 as? SchemeLoader).map { $0.scheme == scheme } ?? true }
    }

    /// The source of the last registered loader that has one; nil if none has.
    func source(for url: URL) -> Source? {
        let loaders = state.withLock { $0.loaders }
        for loader in loaders.reversed() {
            if let source = loader.source(for: url) { return source }
        }
        return nil
    }
}

private struct SchemeLoader: ImageLoader {
    let scheme: String
    let content: @Sendable (URL) -> Source?

    func source(for url: URL) -> Source? { url.scheme?.lowercased() == scheme ? content(url) : nil }
}

extension KingfisherParsedOptionsInfo {
    /// What to load for `source`: what a loader has for its URL, else the source itself.
    func content(of source: Source) -> Source {
        guard case .network(let resource) = source else { return source }
        return (loaders ?? .shared).source(for: resource.downloadURL) ?? source
    }

    /// The threads for the program's code that starts a load from `source`; nil if there is none.
    func threadsOfStart(for source: Source) -> ProgramThreads? {
        guard case .network(let resource) = source else { return nil }
        if (loaders ?? .shared).hasLoader(for: resource.downloadURL) { return .starts }
        return downloader.flatMap { threadsOfDownload(by: $0) }
    }

    /// The threads for the program's code that starts a download by `downloader`; nil if there is none.
    func threadsOfDownload(by downloader: ImageDownloader) -> ProgramThreads? {
        if requestModifier is any ImageDownloadRequestModifier
            || lowDataModeSource != nil && downloader.isNetworkConstrained != nil
        {
            return .starts
        }
        // A slow delegate must delay no other downloader.
        return downloader.delegate == nil ? nil : downloader.delegateThreads
    }
}
