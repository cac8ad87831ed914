/// Decides which scans of a progressive JPEG are decoded as previews; without a clock or threads.
struct ProgressiveScans {
    /// A preview that can be decoded.
    struct Preview: Equatable {
        /// The number of bytes it needs.
        var length: Int
        /// The number of complete scans.
        var scans: Int

        /// The blur radius in pixels: 10 for the first scan, decreasing, and 0 from the sixth scan on.
        var blurRadius: Double { scans < 6 ? Double(max(2, 14 - 4 * scans)) : 0 }
    }

    private let onlyLatest: Bool
    private var finder = JPEGScanFinder()
    private var seen = 0
    private var pending: [Preview] = []

    init(onlyLatest: Bool) { self.onlyLatest = onlyLatest }

    /// Whether more bytes may lead to more previews.
    var needsMoreData: Bool { finder.needsMoreData }

    /// Whether there is a preview to decode.
    var hasPending: Bool { !pending.isEmpty }

    /// Receives all bytes so far.
    mutating func receive(_ bytes: RawSpan) {
        finder.parse(bytes)
        // The start of a scan completes the scans before it.
        let starts = finder.scanStarts
        for index in max(seen, 1)..<max(starts.count, seen, 1) {
            pending.append(Preview(length: starts[index], scans: index))
        }
        seen = starts.count
        if onlyLatest, pending.count > 1 { pending.removeFirst(pending.count - 1) }
    }

    /// Dequeues the next preview to decode.
    mutating func next() -> Preview? { pending.isEmpty ? nil : pending.removeFirst() }

    /// Discards pending previews.
    mutating func stop() { pending = [] }
}
