package import Dispatch

/// A progress block, which is only ever called on one queue, the main one by default.
///
/// Safe because of that.
package struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock
    private var queue = CallbackQueue.mainCurrentOrAsync

    /// A block that is called on a queue of one's own.
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

/// Told of a download's progress on the main thread: bytes received so far, and bytes in all.
///
/// Only called while the total is known.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
