package import Dispatch
package import Foundation

/// A progress block, called on one queue only, the main queue by default.
///
/// Safe because the block runs on that queue only, or is `@Sendable`.
package struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock
    private var queue = CallbackQueue.mainCurrentOrAsync
    private(set) var now: @Sendable () -> ContinuousClock.Instant = { .now }

    package init(
        queue: DispatchQueue,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ block: @escaping @Sendable (Int64, Int64) -> Void
    ) {
        self.block = block
        self.queue = .dispatch(queue)
        self.now = now
    }

    /// Calls `block` on the thread that reports.
    static func onAnyThread(_ block: @escaping @Sendable (Int64, Int64) -> Void) -> ProgressCallback? {
        var callback = ProgressCallback(block)
        callback?.queue = .untouch
        return callback
    }

    init?(_ block: DownloadProgressBlock?) {
        guard let block else { return nil }
        self.block = block
    }

    func report(received: Int64, expected: Int64) {
        queue.execute { block(received, expected) }
    }
}

/// Reports a download's progress on the main thread: the bytes received, and the total bytes.
///
/// Called for the first and the last bytes, and at most 30 times a second between them. Called only if the total is known;
/// with the option `reportProgressOfUnknownSize` otherwise too, with a total of -1 until the last call, which has both.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)

/// Selects the reports of one transfer's progress that reach the program.
///
/// The first and the last always do; at most 30 a second do between them.
struct ProgressThrottle {
    static let interval = Duration.seconds(1) / 30

    private var last: (received: Int64, time: ContinuousClock.Instant)?

    /// Whether reports were made and the last one is yet to come.
    private(set) var isOpen = false

    /// Whether to report so many bytes now; `expected` is nil while the total is unknown.
    mutating func admits(received: Int64, expected: Int64?, at now: ContinuousClock.Instant) -> Bool {
        let isLast = received == expected
        // A transfer that starts over receives less than before.
        if let last, received >= last.received, !isLast, now < last.time + Self.interval { return false }
        last = (received, now)
        isOpen = !isLast
        return true
    }

    /// Whether to report the end of a body whose total was unknown.
    mutating func admitsEnd() -> Bool {
        defer { isOpen = false }
        return isOpen
    }
}

/// An observer of a download's received bytes.
package protocol DataReceivingSideEffect: AnyObject, Sendable {
    /// Called with all bytes so far, on the transport's thread; must return soon.
    func download(_ task: SessionDataTask, didReceive data: Data)
}
