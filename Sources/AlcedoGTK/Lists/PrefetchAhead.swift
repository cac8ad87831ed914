import Alcedo

/// Prefetches the items after the visible ones, in the direction of scrolling.
@MainActor
final class PrefetchAhead {
    private let limit: Int
    private let make: @MainActor (Int) -> ImagePrefetcher?

    /// The prefetchers of visible items and of those ahead, by position; ended ones included, so that none is repeated.
    private var prefetchers: [Int: ImagePrefetcher] = [:]
    private var visible = 0...0
    private var isBackward = false

    /// Prefetches at most `limit` items at a time, with prefetchers that `make` returns by position.
    init(limit: Int, make: @escaping @MainActor (Int) -> ImagePrefetcher?) {
        self.limit = max(0, limit)
        self.make = make
    }

    /// The visible items have changed; `count` is the number of all items.
    ///
    /// While visible items are `loading`, nothing more is started: what is on screen comes first.
    func move(to visible: ClosedRange<Int>, count: Int, loading: Bool) {
        if visible.lowerBound != self.visible.lowerBound {
            isBackward = visible.lowerBound < self.visible.lowerBound
        }
        self.visible = visible
        let length = min(visible.count, limit)
        let ahead =
            isBackward
            ? visible.lowerBound - length..<visible.lowerBound
            : visible.upperBound + 1..<visible.upperBound + 1 + length
        let wanted = ahead.clamped(to: 0..<max(0, count))
        for (position, prefetcher) in prefetchers
        where !wanted.contains(position) && !visible.contains(position) {
            prefetcher.stop()
            prefetchers[position] = nil
        }
        guard !loading else { return }
        // The nearest first.
        for position in isBackward ? wanted.reversed() : Array(wanted) where prefetchers[position] == nil {
            prefetchers[position] = make(position)
            prefetchers[position]?.start()
        }
    }

    func stop() {
        for prefetcher in prefetchers.values { prefetcher.stop() }
        prefetchers = [:]
    }
}
