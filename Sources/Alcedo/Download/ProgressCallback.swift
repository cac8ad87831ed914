package import Dispatch

/// A progress block, called on one queue only, the main queue by default.
///
/// Safe because the block runs on that queue only.
package struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock
    private var queue = CallbackQueue.mainCurrentOrAsync

    /// A block that is called on `queue`.
    package init(queue: DispatchQueue, _ block: @escaping @Sendable (Int64, Int64) -> Void) {
        self.block = block
        self.queue = .dispatch(queue)
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
/// Called only if the total is known.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
