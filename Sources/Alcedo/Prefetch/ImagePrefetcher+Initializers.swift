public import Foundation
import FoundationNetworking

extension ImagePrefetcher {
    /// Makes a prefetcher of URLs.
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls, options: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Makes a prefetcher of resources.
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            count: resources.count,
            options: .forPrefetching(options),
            report: PrefetchReport(resources, progress: progressBlock, completion: completionHandler)
        ) { resources[$0].convertToSource() }
    }

    /// Makes a prefetcher of sources.
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherSourceProgressBlock? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            count: sources.count,
            options: .forPrefetching(options),
            report: PrefetchReport(sources, progress: progressBlock, completion: completionHandler)
        ) { sources[$0] }
    }
}

// MARK: - Initialisers whose trailing closure is the completion handler

extension ImagePrefetcher {
    /// Makes a prefetcher of URLs.
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(urls: urls, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Makes a prefetcher of resources.
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: resources, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Makes a prefetcher of sources.
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            sources: sources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }
}

// MARK: - For views

extension ImagePrefetcher {
    /// Makes a prefetcher of one source with the options of a view, into memory too, at half of the view's priority.
    package convenience init(_ source: Source, forViewWith options: KingfisherParsedOptionsInfo) {
        var options = options
        options.targetCache = options.targetCache ?? KingfisherManager.shared.cache
        options.originalCache = options.originalCache ?? options.targetCache
        options.downloader = options.downloader ?? KingfisherManager.shared.downloader
        options.downloadPriority /= 2
        options.alsoPrefetchToMemory = true
        self.init(
            count: 1, options: options, report: PrefetchReport([source], progress: nil, completion: nil)
        ) { _ in source }
    }
}

extension KingfisherParsedOptionsInfo {
    fileprivate static func forPrefetching(_ options: KingfisherOptionsInfo?) -> Self {
        var options = Self(
            [
                .targetCache(.default), .downloader(.default),
                .downloadPriority(URLSessionTask.lowPriority),
            ] + (options ?? []))
        options.context.checksPixels = true
        return options
    }
}
