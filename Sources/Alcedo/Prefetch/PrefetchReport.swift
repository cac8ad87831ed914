import AlcedoLocks
import Foundation

/// Called on the main queue after each resource, with all resources skipped, failed and loaded so far.
///
/// A skipped resource was cached already.
public typealias PrefetcherProgressBlock =
    @Sendable (
        _ skippedResources: [any Resource],
        _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Called on the main queue after each source, with all sources skipped, failed and loaded so far.
///
/// A skipped source was cached already.
public typealias PrefetcherSourceProgressBlock =
    @Sendable (_ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]) -> Void

/// Called once on the main queue when a prefetcher has ended.
public typealias PrefetcherCompletionHandler = PrefetcherProgressBlock

/// Called once on the main queue when a prefetcher has ended.
public typealias PrefetcherSourceCompletionHandler = PrefetcherSourceProgressBlock

/// Receives a prefetcher's results.
protocol PrefetchReporting: Sendable {
    func add(_ index: Int, _ outcome: ImagePrefetcher.Outcome)

    /// Ends the report; the sources of `remaining` were not tried and count as failed.
    func finish(failing remaining: Range<Int>)
}

/// Collects the outcomes of `elements` and passes them to the program's blocks.
///
/// With a progress block, the lists grow on the main queue only, so that no step copies them.
final class PrefetchReport<Element: Sendable>: PrefetchReporting {
    typealias Block = @Sendable ([Element], [Element], [Element]) -> Void

    private struct Lists {
        var skipped: [Element] = []
        var failed: [Element] = []
        var completed: [Element] = []

        mutating func append(_ element: Element, _ outcome: ImagePrefetcher.Outcome) {
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

    func add(_ index: Int, _ outcome: ImagePrefetcher.Outcome) {
        guard let progress else { return append(index, outcome) }
        DispatchQueue.main.async { [self] in
            append(index, outcome)
            let lists = lists.withLock { $0 }
            progress(lists.skipped, lists.failed, lists.completed)
        }
    }

    func finish(failing remaining: Range<Int>) {
        guard let completion else { return }
        DispatchQueue.main.async { [self] in
            lists.withLock { $0.failed += elements[remaining] }
            let lists = lists.withLock { $0 }
            completion(lists.skipped, lists.failed, lists.completed)
        }
    }

    private func append(_ index: Int, _ outcome: ImagePrefetcher.Outcome) {
        lists.withLock { $0.append(elements[index], outcome) }
    }
}
