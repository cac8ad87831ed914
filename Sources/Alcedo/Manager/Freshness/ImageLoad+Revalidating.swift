import Foundation

// The load that revalidates a stale image in the background, after another has delivered it (RFC 5861, 3).

extension ImageLoad {
    /// Loads `source` again, unless the load was cancelled; the result goes to the options' `revalidationHandler`.
    ///
    /// It does not depend on the view, which may load another image by then: the caches get the new one in any case.
    func revalidate(_ source: Source, with options: KingfisherParsedOptionsInfo) {
        guard !handle.isCancelled else { return }
        var options = options
        options.callbackQueue = self.options.callbackQueue
        options.context = LoadContext()
        options.context.credential = self.options.context.credential
        options.context.revalidatesFirst = true
        options.alternativeSources = nil
        options.lowDataModeSource = nil
        options.loadDiskFileSynchronously = false
        options.revalidationHandler = nil
        let load = ImageLoad(
            of: source, options: options, downloadTaskUpdated: nil, activeLoads: activeLoads,
            completion: self.options.revalidationHandler)
        _ = load.start()
    }
}
