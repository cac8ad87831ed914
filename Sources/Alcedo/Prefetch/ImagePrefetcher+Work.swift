import AlcedoLocks
import Foundation
import Synchronization

// What a prefetcher does on its queue.

extension ImagePrefetcher {
    /// Starts sources up to the limit; ends when none is left or running.
    func startNext() {
        let limit = max(1, maxConcurrentDownloads)
        while !isStopped.load(ordering: .acquiring), let index = work.withLock({ $0.dequeue(limit: limit) }) {
            prefetch(index)
        }
        let hasStopped = isStopped.load(ordering: .acquiring)
        let (isFinished, remaining, observers) = work.withLock { work in
            let isFinished = work.finish(isStopped: hasStopped)
            return (isFinished, work.next..<count, isFinished ? exchange(&work.observers, with: []) : [])
        }
        guard isFinished else { return }
        report.finish(failing: remaining)
        for observer in observers { observer.finish() }
    }

    private func prefetch(_ index: Int) {
        let source = source(index)
        let isRefused = plan.options.downloader?.refusal(of: source) != nil
        guard plan.options.reads([.memory, .disk]), !isRefused else {
            return load(source, index, isCached: false)
        }
        plan.findCached(source, callbackQueue: .dispatch(queue)) { [self] cached in
            if cached == .usable, !plan.options.alsoPrefetchToMemory {
                end(source, index, .skipped)
            } else {
                load(source, index, isCached: cached != .no)
            }
        }
    }

    private func load(_ source: Source, _ index: Int, isCached: Bool) {
        let storeError = Lock<KingfisherError?>(nil)
        var options = plan.options
        options.downloadPriority = work.withLock { $0.priority }
        options.context.stored = { [plan] result in
            guard case .failure(let error) = result.diskCacheResult else { return }
            // Without the disk, memory has the image.
            if plan.isForDiskOnly || error.isStoringForbidden { storeError.withLock { $0 = error } }
        }
        let load = ImageLoad(of: source, options: options, downloadTaskUpdated: nil) { [self] result in
            let outcome: Outcome =
                if case .failure(let error) = result {
                    .failed(error)
                } else if let error = storeError.withLock({ $0 }) {
                    .failed(error)
                } else {
                    isCached && (try? result.get())?.cacheType.cached == true ? .skipped : .completed
                }
            queue.async { [self] in end(source, index, outcome) }
        }
        work.withLock { $0.running[index] = load.handle }
        if isStopped.load(ordering: .acquiring) { load.handle.cancel() }
        _ = load.start()
    }

    private func end(_ source: Source, _ index: Int, _ outcome: Outcome) {
        let (task, observers, progress) = work.withLock { work in
            let task = work.end(index, outcome)
            // Copied, as shared storage must not leave the lock (decision 0009).
            return (task, work.observers.map(\.self), work.progress(of: source, outcome))
        }
        withExtendedLifetime(task) {}
        report.add(index, outcome)
        for observer in observers { observer.yield(progress) }
        startNext()
    }
}

extension KingfisherError {
    /// Whether the image was loaded, and no cache has it.
    fileprivate var isStoringForbidden: Bool {
        if case .cacheError(reason: .storingForbidden) = self { true } else { false }
    }
}
