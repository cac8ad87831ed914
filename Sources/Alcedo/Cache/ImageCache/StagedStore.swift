import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

/// A value on its way to the disk: it is encoded, waits for its turn, is written, and its caller is told.
final class StagedStore: Sendable {
    private struct State {
        var data: Result<Data, KingfisherError>?
        var byteCount = 0
        var reservation: Backpressure.Reservation?
        var isOver = false
    }

    /// Bytes that a waiting store takes beside those that it writes, measured.
    static let overhead = 4 << 10

    let ticket: StagedChanges.Ticket
    let name: String
    let key: String
    let options: KingfisherParsedOptionsInfo
    private let cache: ImageCache
    private let completion: StoreCompletion
    private let state = Lock(State())
    private let isEncoded = DispatchSemaphore(value: 0)

    init(
        ticket: StagedChanges.Ticket,
        name: String,
        key: String,
        options: KingfisherParsedOptionsInfo,
        cache: ImageCache,
        completion: StoreCompletion
    ) {
        self.ticket = ticket
        self.name = name
        self.key = key
        self.options = options
        self.cache = cache
        self.completion = completion
    }

    /// Bytes that it keeps while it waits for the disk; 0 until they are encoded.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Gives it the bytes to write; a disk that is stalled or behind, and has enough to write, refuses them.
    func encoded(_ data: Result<Data, KingfisherError>) {
        defer { isEncoded.signal() }
        guard case .success(let bytes) = data else { return state.withLock { $0.data = data } }
        let byteCount = bytes.count + Self.overhead
        let admission = cache.writes.admit(byteCount, isOptional: options.isStoreOptional)
        if case .refused(let error) = admission { return fail(error) }
        let backpressure = admission == .admittedWithBackpressure ? options.downloader?.backpressure : nil
        let reservation = backpressure?.reserve(byteCount)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.data = data
            state.byteCount = byteCount
            state.reservation = reservation
            return false
        }
        guard isOver else { return }
        cache.writes.release(byteCount)
        reservation?.release()
    }

    /// Blocks until it is encoded; to be called once.
    func waitUntilEncoded() { isEncoded.wait() }

    /// Writes on the calling thread, which is the queue's, unless it has failed by now.
    func write() {
        guard let data = state.withLock({ $0.isOver ? nil : $0.data }) else {
            return cache.land(ticket, name: name)
        }
        let result = data.flatMap { cache.write($0, forKey: key, options: options) }
        cache.land(ticket, name: name)
        finish(result)
    }

    /// Lets downloads go on that wait for this store.
    func releaseReservation() { state.withLock { $0.reservation }?.release() }

    /// Gives the store up.
    ///
    /// Until its turn lookups find nothing: what is on the disk may be older than calls that have not landed either.
    func fail(_ error: DiskStallError) {
        let computedKey = key.computedKey(with: options.processor.identifier)
        let reason = KingfisherError.CacheErrorReason.cannotCreateCacheFile(
            fileURL: cache.diskStorage.url(of: name), key: computedKey,
            data: state.withLock { try? $0.data?.get() } ?? Data(), error: error)
        let value = cache.staged.withLock { $0.abandon(ticket, name: name) }
        withExtendedLifetime(value) {}
        finish(.failure(.cacheError(reason: reason)))
    }

    private func finish(_ result: Result<Void, KingfisherError>) {
        let ended: State? = state.withLock { state in
            guard !state.isOver else { return nil }
            defer { state = State(isOver: true) }
            return state
        }
        guard let ended else { return }
        cache.writes.release(ended.byteCount)
        ended.reservation?.release()
        if case .failure(let error) = result {
            cache.memoryOnlyWarning.warn(of: error, in: cache.diskStorage)
        }
        completion(result)
    }
}
