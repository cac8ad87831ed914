/// Decides which scans of a progressive JPEG are worth a picture, and when; no clock, no threads.
struct ProgressiveScans {
    /// A picture that can be made.
    struct Cut: Equatable {
        /// How many bytes belong to it.
        var length: Int
        /// How many scans are complete in it.
        var scans: Int

        /// How much it should be blurred: much at first, and not at all from the sixth scan on.
        var blurRadius: Double { scans < 6 ? Double(max(2, 14 - 4 * scans)) : 0 }
    }

    private let onlyLatest: Bool
    private var finder = JPEGScanFinder()
    private var seen = 0
    private var waiting: [Cut] = []

    init(onlyLatest: Bool) { self.onlyLatest = onlyLatest }

    /// Whether more bytes may lead to more pictures.
    var isLooking: Bool { finder.isLooking }

    /// Whether there is a picture to make.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Takes all bytes so far.
    mutating func receive(_ bytes: RawSpan) {
        finder.look(at: bytes)
        // Where a scan begins, the ones before it are complete; before the first there is nothing to see.
        let starts = finder.scanStarts
        for index in max(seen, 1)..<max(starts.count, seen, 1) {
            waiting.append(Cut(length: starts[index], scans: index))
        }
        seen = starts.count
        if onlyLatest, waiting.count > 1 { waiting.removeFirst(waiting.count - 1) }
    }

    /// The next picture to make.
    mutating func next() -> Cut? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Makes no more pictures.
    mutating func stop() { waiting = [] }
}
