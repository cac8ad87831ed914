import Dispatch

extension ImageCache {
    /// Sums up the files in the order of the writes: what was stored before the call counts.
    func measureDisk(
        callbackQueue: CallbackQueue,
        then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        writes.append { [self] in
            let size = Result { () throws(KingfisherError) in try diskStorage.totalSize() }
            callbackQueue.execute { handler(size) }
        }
    }
}
