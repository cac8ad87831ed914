import AlcedoLocks
import Dispatch
import Foundation

/// One load, from the first look into a cache to the one completion, through retries and alternative sources.
///
/// The order of things: the caches (`ImageLoad+Cache`), the source itself (`ImageLoad+Loading`), storing
/// (`ImageLoad+Store`); where that fails, a retry or the next source (`ImageLoad+Failure`); and at last the one
/// completion (`ImageLoad+Finish`).
final class ImageLoad: Sendable {
    typealias Completion = @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    struct State {
        /// What is loaded now.
        var current: Source

        /// Whether this is a retry or another source.
        var isReplacement = false
        var alternatives: ArraySlice<Source>
        var errors: [PropagationError] = []
        var retryContext: RetryContext?

        /// What a retry strategy is to answer.
        var decision: OnceCallback<RetryDecision>?

        /// Whether the network turned out to be constrained, and `lowDataModeSource` took the source's place.
        var isFrugal = false

        // How it ends.
        var completion: Completion?
        var isOver = false
        var isAnsweredAtOnce = false

        /// How many callbacks run that must come before the completion, and the result that waits for them.
        var announcements = 0
        var held: Result<RetrieveImageResult, KingfisherError>?
    }

    /// What was asked for first.
    let source: Source

    /// They say of an image that nobody wants it any more once the load is cancelled.
    let options: KingfisherParsedOptionsInfo

    /// Cancels the load, whatever it is doing.
    let handle: DownloadTask
    let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    let state: Lock<State>

    /// Holds the completion back until ``start()`` has returned.
    let latch: ReturnLatch
    let begin = ContinuousClock.now

    /// A load that has not begun; the completion of one that is awaited may come before the call returns.
    init(
        of source: Source,
        options: KingfisherParsedOptionsInfo,
        handle: DownloadTask = DownloadTask(),
        isAwaited: Bool = false,
        downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        completion: Completion?
    ) {
        self.source = source
        self.handle = handle
        self.downloadTaskUpdated = downloadTaskUpdated
        latch = ReturnLatch(steps: isAwaited ? 0 : 1)
        state = Lock(
            State(
                current: source, alternatives: (options.alternativeSources ?? [])[...],
                completion: completion))
        var options = options
        // Not the handle itself, which knows the transfer that has these options.
        let cancellation = handle.cancellation
        let isCurrent = options.sourceTaskIdentifierChecker
        options.sourceTaskIdentifierChecker = { !cancellation.isCancelled && isCurrent?() != false }
        self.options = options
    }

    /// Begins; to be called last of all in a call, for it lets the completion come.
    ///
    /// - Returns: the handle to cancel the load; nil if it was answered at once.
    func start() -> DownloadTask? {
        defer { latch.step() }
        let hit = options.downloader?.refusal(of: source) == nil ? imageInMemory(of: source) : nil
        if let hit, !hit.needsRemaking(for: options) {
            answer(with: hit, cacheType: .memory, source: source, atOnce: true)
            return nil
        }
        handle.cancellation.whenCancelled { [self] in finish(.failure(cancellation)) }
        attempt(source, hit: hit)
        return state.withLock { $0.isAnsweredAtOnce } ? nil : handle
    }

    /// Tries another source.
    func attempt(_ source: Source) {
        state.withLock { state in
            state.current = source
            state.isReplacement = true
        }
        attempt(source, hit: imageInMemory(of: source))
    }

    /// Tries one source, caches first.
    private func attempt(_ source: Source, hit: KFCrossPlatformImage?) {
        guard isWanted(source) else { return }
        if let refusal = options.downloader?.refusal(of: source) {
            return tryAlternative(
                after: .responseError(reason: .URLSessionError(error: refusal.urlError)), to: source)
        }
        if options.forceRefresh { load(source) } else { answerFromTarget(source, hit: hit) }
    }

    /// Whether somebody still wants the image; if nobody does, ends the load.
    func isWanted(_ source: Source) -> Bool {
        guard options.isSourceTaskStale else { return true }
        finish(.failure(.cacheError(reason: .imageNotExisting(key: source.cacheKey))))
        return false
    }
}
