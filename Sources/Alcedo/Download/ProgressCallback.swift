/// A progress block, which is only ever called on the main queue.
///
/// Safe because of that.
struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock

    init?(_ block: DownloadProgressBlock?) {
        guard let block else { return nil }
        self.block = block
    }

    func report(received: Int64, expected: Int64) {
        CallbackQueue.mainCurrentOrAsync.execute { block(received, expected) }
    }
}

/// Told of a download's progress on the main thread: bytes received so far, and bytes in all.
///
/// Only called while the total is known.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
