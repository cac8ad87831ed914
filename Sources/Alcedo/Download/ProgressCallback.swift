package import Dispatch

/// A progress block, called on one queue only, the main queue by default.
///
/// Safe because the block runs on that queue only.
package struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock
    private var queue = CallbackQueue.mainCurrentOrAsync

    /// The clock that limits the calls.
    private(set) var now: @Sendable () -> ContinuousClock.Instant = { .now }

    /// A block that is called on `queue`.
    package init(
        queue: DispatchQueue,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ block: @escaping @Sendable (Int64, Int64) -> Void
    ) {
        self.block = block
        self.queue = .dispatch(queue)
        self.now = now
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
