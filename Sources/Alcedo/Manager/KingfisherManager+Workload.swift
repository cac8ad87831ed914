import AlcedoTransport

extension KingfisherManager {
    /// What loads images, for ``configure(for:)``.
    public enum Workload: Sendable, CaseIterable {
        /// A program with views: lists that scroll, one user, a network that breaks.
        case app

        /// A service that loads images for others, from many hosts.
        case server
    }

    /// Turns on what Kingfisher does not have and Alcedo leaves off by default; call it before the first load.
    ///
    ///     KingfisherManager.shared.configure(for: .app)
    ///
    /// It changes this manager's ``downloader``, ``cache`` and ``defaultOptions``. What is set afterwards replaces it.
    /// Call it once: a second call for the other workload leaves what only the first one sets.
    ///
    /// | setting | app | server |
    /// |---|---|---|
    /// | ``ImageDownloader/resumableDownloads`` | on | on |
    /// | ``ImageDownloader/failureMemory`` | 60 s | 60 s |
    /// | ``ImageDownloader/startRate`` | 50 a second after the first 20 | unchanged: bursts are usual |
    /// | ``ImageDownloader/maximumActiveDownloads`` | unchanged | 100 |
    /// | ``ImageDownloader/queueTimeout`` | unchanged | 10 s |
    /// | ``ImageCache/httpFreshness`` | respected | respected |
    /// | ``MemoryStorage/Config/keepWhileInUse`` | on | on |
    /// | ``DiskStorage/Config/sizeLimit`` | unchanged | 10 GiB, if there is none |
    /// | `useCachedIntermediates` | on | on |
    public func configure(for workload: Workload) {
        let (downloader, cache) = (downloader, cache)
        downloader.resumableDownloads = downloader.resumableDownloads ?? ResumableDownloads()
        downloader.failureMemory = FailureMemory(duration: .seconds(60))
        cache.httpFreshness = .respected
        cache.memoryStorage.config.keepWhileInUse = true
        // First: a load's own options and the program's defaults override it.
        defaultOptions = [.useCachedIntermediates] + defaultOptions
        switch workload {
        case .app:
            downloader.startRate = DownloadRate(perSecond: 50, burst: 20)
        case .server:
            downloader.maximumActiveDownloads = 100
            downloader.queueTimeout = .seconds(10)
            if cache.diskStorage.config.sizeLimit == 0 { cache.diskStorage.config.sizeLimit = 10 << 30 }
        }
    }
}
