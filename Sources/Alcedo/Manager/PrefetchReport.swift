import AlcedoLocks
import Foundation

/// Told of each resource that a prefetcher is done with, on the main queue: all that were cached already, all that
/// failed and all that were loaded so far.
public typealias PrefetcherProgressBlock =
    @Sendable (
        _ skippedResources: [any Resource],
        _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Told of each source that a prefetcher is done with, on the main queue: all that were cached already, all that
/// failed and all that were loaded so far.
public typealias PrefetcherSourceProgressBlock =
    @Sendable (_ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]) -> Void

/// Told once that a prefetcher is done, on the main queue.
public typealias PrefetcherCompletionHandler = PrefetcherProgressBlock

/// Told once that a prefetcher is done, on the main queue.
public typealias PrefetcherSourceCompletionHandler = PrefetcherSourceProgressBlock

/// What became of a source.
enum PrefetchOutcome {
    case skipped
    case failed
    case completed
}

/// Where a prefetcher's results go.
protocol PrefetchReporting: Sendable {
    /// One source is done with.
    func add(_ index: Int, _ outcome: PrefetchOutcome)

    /// All are: those of `rest` have failed without being tried.
    func finish(failing rest: Range<Int>)
}

/// Collects what became of `elements` and tells it.
///
/// Where each step is told, the lists grow on the main queue only, so that no step copies them.
final class PrefetchReport<Element: Sendable>: PrefetchReporting {
    typealias Block = @Sendable ([Element], [Element], [Element]) -> Void

    private struct Lists {
        var skipped: [Element] = []
        var failed: [Element] = []
        var completed: [Element] = []

        mutating func append(_ element: Element, _ outcome: PrefetchOutcome) {
            switch outcome {
            case .skipped: skipped.append(element)
            case .failed: failed.append(element)
            case .completed: completed.append(element)
            }
        }
    }

    private let elements: [Element]
    private let progress: Block?
    private let completion: Block?
    private let lists = Lock(Lists())

    init(_ elements: [Element], progress: Block?, completion: Block?) {
        self.elements = elements
        self.progress = progress
        self.completion = completion
    }

    func add(_ index: Int, _ outcome: PrefetchOutcome) {
        guard let progress else { return append(index, outcome) }
        DispatchQueue.main.async { [self] in
            append(index, outcome)
            let lists = lists.withLock { $0 }
            progress(lists.skipped, lists.failed, lists.completed)
        }
    }

    func finish(failing rest: Range<Int>) {
        guard let completion else { return }
        DispatchQueue.main.async { [self] in
            for index in rest { append(index, .failed) }
            let lists = lists.withLock { $0 }
            completion(lists.skipped, lists.failed, lists.completed)
        }
    }

    private func append(_ index: Int, _ outcome: PrefetchOutcome) {
        lists.withLock { $0.append(elements[index], outcome) }
    }
}
