import AlcedoLocks
import AlcedoTransport
import Foundation

/// A staged write: encode, wait for the write queue, write, call the completion handler.
final class StagedStore: QueuedStore, Sendable {
    private struct State {
        var data: Result<Data, KingfisherError>?
        var byteCount = 0
        var reservation: Backpressure.Reservation?
        var isFinished = false

        /// Whether the completion handler has been called before the end.
        var isReported = false
    }

    /// Bytes that a waiting store needs besides its data, measured.
    static let overhead = 4 << 10

    let ticket: StagedChanges.Ticket
    let name: String
    let key: String
    private let options: SharedOptions
    private let cache: ImageCache
    private let completion: StoreCompletion
    private let state = Lock(State())

    init(
        ticket: StagedChanges.Ticket, name: String, key: String, options: SharedOptions,
        cache: ImageCache, completion: StoreCompletion
    ) {
        (self.ticket, self.name, self.key) = (ticket, name, key)
        (self.options, self.cache, self.completion) = (options, cache, completion)
    }

    /// Bytes in memory while it waits for the disk; 0 until they are encoded.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// ``byteCount`` without the overhead.
    var dataCount: Int { max(0, byteCount - Self.overhead) }

    /// Whether it was written or has failed.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Sets the bytes to write and queues that, unless a later change has replaced them; fails if the write queue does not
    /// admit them.
    func setData(_ data: Result<Data, KingfisherError>) {
        defer { queue() }
        guard case .success(let bytes) = data else { return state.withLock { $0.data = data } }
        let byteCount = bytes.count + Self.overhead
        let conditions = options.value.storeConditions
        let admission = cache.writes.admit(byteCount, isOptional: conditions.isOptional)
        if case .rejected(let error) = admission { return fail(error) }
        let backpressure = admission == .admittedWithBackpressure ? conditions.backpressure : nil
        let reservation = backpressure?.reserve(byteCount)
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            (state.data, state.byteCount, state.reservation) = (data, byteCount, reservation)
            return false
        }
        guard isFinished else { return }
        cache.writes.release(byteCount)
        reservation?.release()
    }

    private func queue() {
        let isQueued = cache.staged.withLock { changes in
            changes.endEncoding(ticket, name: name) {
                cache.writes.append(DiskWriteQueue.Job(store: self, stall: reportStall, run: write))
            }
        }
        // After what has replaced it: then the disk has neither's predecessor.
        if !isQueued {
            cache.writes.append(DiskWriteQueue.Job(store: self, stall: reportStall, run: supersede))
        }
    }

    /// Ends without a write.
    private func supersede() { finish(state.withLock { $0.data }?.map { _ in } ?? .success(())) }

    /// Writes on the calling thread, which is the queue's, unless the store has failed.
    func write() {
        guard let data = state.withLock({ $0.isFinished ? nil : $0.data }) else {
            return cache.complete(ticket, name: name)
        }
        let result = data.flatMap { cache.write($0, forKey: key, options: options.value) }
        cache.complete(ticket, name: name)
        finish(result)
    }

    /// Ends the backpressure on downloads.
    func releaseReservation() { state.withLock { $0.reservation }?.release() }

    /// Fails the store.
    ///
    /// Until its job runs, lookups find nothing: the file on disk may be older than other staged changes.
    func fail(_ error: DiskStallError) {
        let failure = failure(error)
        let value = cache.staged.withLock { $0.discardValue(ticket, name: name) }
        withExtendedLifetime(value) {}
        finish(.failure(failure))
    }

    /// Calls the completion handler, as the disk hangs; the store stays, and is written when the disk responds.
    private func reportStall(_ error: DiskStallError) {
        let failure = failure(error)
        let isFirst = state.withLock { state in
            !state.isFinished && !exchange(&state.isReported, with: true)
        }
        guard isFirst else { return }
        cache.diskStorage.report(failure)
        completion(.failure(failure))
    }

    private func failure(_ error: DiskStallError) -> KingfisherError {
        .cacheError(
            reason: .cannotCreateCacheFile(
                fileURL: cache.diskStorage.url(of: name),
                key: key.computedKey(with: options.value.processor.identifier),
                data: state.withLock { try? $0.data?.get() } ?? Data(), error: error))
    }

    private func finish(_ result: Result<Void, KingfisherError>) {
        let ended: State? = state.withLock { state in
            guard !state.isFinished else { return nil }
            defer { state = State(isFinished: true) }
            return state
        }
        guard let ended else { return }
        let error: KingfisherError? = if case .failure(let error) = result { error } else { nil }
        cache.writes.release(ended.byteCount, hasFailed: error != nil)
        ended.reservation?.release()
        if let error { cache.diskStorage.report(error) }
        if !ended.isReported { completion(result) }
    }
}
