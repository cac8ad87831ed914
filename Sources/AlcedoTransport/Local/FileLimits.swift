/// How long a read may take, in intervals of its queue's checks; 0 for no limit.
package struct FileLimits: Sendable {
    /// Without progress.
    package var stall: Int

    /// From the start on its thread.
    package var total: Int

    package init(stall: Int, total: Int = 0) { (self.stall, self.total) = (stall, total) }

    /// Limits in seconds on ``FileQueue/files``, rounded up; 0 and infinity for none.
    package init(seconds stall: Double, total: Double = 0) {
        self.init(stall: Self.intervals(stall), total: Self.intervals(total))
    }

    static func intervals(_ seconds: Double) -> Int {
        seconds > 0 && seconds < 1e9 ? Int(seconds.rounded(.up)) : 0
    }
}

/// A read that exceeded its limits, or that others of its volume show to be futile.
package struct FileStall: Error, Equatable {
    /// The limit, in intervals.
    package let intervals: Int

    package let isTotal: Bool

    /// What happened and what to do, on a queue whose interval is a second.
    var reason: String {
        isTotal
            ? "reading it takes more than \(intervals) s; allow more time or use a faster disk"
            : "its file system has not responded for \(intervals) s; check whether it hangs or is gone"
    }
}
