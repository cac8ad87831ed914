import AlcedoLocks
import Dispatch
public import Foundation

extension KingfisherManager {
    /// Ends the work of a program that is about to exit, within a time.
    ///
    /// Further loads fail with `managerIsShutDown`, for good. Running loads may end within three quarters of the time; then
    /// those that use their sources are cancelled. The rest of the time is for the disk: the manager's cache, those of
    /// ``defaultOptions`` and the ``HTTPCache`` of its downloader are flushed. Neither a hanging server nor a hanging disk makes
    /// it longer. It may be called again.
    ///
    /// Not included: an ``ImagePrefetcher``, calls of an ``ImageDownloader``, caches that only options of single loads name.
    ///
    /// - Parameters:
    ///   - seconds: the longest time to wait.
    ///   - callbackQueue: the handler's queue.
    ///   - completionHandler: called once, with the changes that have not reached the disk if there are any.
    public func shutdown(
        within seconds: TimeInterval = 10, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let deadline = DispatchTime.now() + max(0, seconds)
        let flush = OnceCallback<Void> { [self] _ in
            let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.uptimeNanoseconds)
            flushCaches(within: end > now ? Double(end - now) / 1e9 : 0) { result in
                callbackQueue.execute { completionHandler(result) }
            }
        }
        activeLoads.close { flush.call(()) }
        after(seconds * 0.75) { [activeLoads] in
            activeLoads.cancelAll()
            flush.call(())
        }
    }

    /// Ends the work of a program that is about to exit, within a time.
    ///
    /// The form with a completion handler has the details.
    ///
    /// - Parameter seconds: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with the changes that have not reached the disk.
    public func shutdown(within seconds: TimeInterval = 10) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        shutdown(within: seconds) { result.finish($0) }
        try await result.value()
    }

    private func flushCaches(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let options = parsed(nil)
        let caches = [cache, options.targetCache, options.originalCache].compactMap { $0 }
            .reduce(into: [ImageCache]()) { caches, cache in
                if !caches.contains(where: { $0 === cache }) { caches.append(cache) }
            }
        let responses = options.downloader?.settings.withLock { $0.session.responses }
        let errors = Lock<[CacheFlushError]>([])
        let isFlushed = Countdown(from: caches.count + 1) {
            then(CacheFlushError(errors.withLock { $0 }).map { .failure($0) } ?? .success(()))
        }
        let end: @Sendable (Result<Void, CacheFlushError>) -> Void = { result in
            if case .failure(let error) = result { errors.withLock { $0.append(error) } }
            isFlushed.step()
        }
        for cache in caches { cache.flush(within: seconds, completionHandler: end) }
        if let responses { responses.flush(within: seconds, then: end) } else { isFlushed.step() }
    }
}
