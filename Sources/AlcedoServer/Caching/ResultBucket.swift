import AlcedoCaches
import AlcedoLocks
import AlcedoTransport
import Foundation

/// Results in a bucket of an object store, where a fleet finds them that has lost all other caches.
///
/// A result is read when no other cache has it, and written once, in the background, when it is created. That its source is
/// found unchanged is not written: after a loss it is checked once more, which is cheaper than an object for each check.
/// The bucket's own rules remove old objects.
final class ResultBucket: Sendable {
    /// Where the objects are.
    struct Place: Sendable {
        let store: ObjectStore
        let scheme: ObjectAddress.Scheme
        let bucket: String

        /// What their keys start with, percent-encoded.
        var prefix = ""

        /// Signs the objects; if it is empty, whoever may write to the bucket is trusted.
        var secret: [UInt8] = []

        /// An object store far away needs some 100 ms; to create a result again rarely takes longer than this.
        var lookupTime = Duration.seconds(2)
        var writeTime = Duration.seconds(30)
    }

    /// What the bucket has of a key.
    enum Finding: Sendable {
        case found(StoredResult)
        case missed
        /// An object that is damaged, or that nobody with the secret has written.
        case wrong
        case failed
    }

    struct Counts: Sendable {
        var hits = 0
        var misses = 0
        var wrong = 0
        var lookupFailures = 0
        var writes = 0
        var writeFailures = 0
        /// Results that were not written, as too many were waiting.
        var dropped = 0
    }

    private struct State {
        var counts = Counts()
        var hasPurges = false
        var isFailing = (lookups: false, writes: false)
    }

    private static let largestEntry = 32 << 20

    private let place: Place
    private let origins: OriginClient
    private let now: @Sendable () -> Date
    private let queue = SharedWriteQueue(countLimit: 1000, byteLimit: largestEntry)
    private let state = Lock(State())

    init(_ place: Place, origins: OriginClient, now: @escaping @Sendable () -> Date) {
        (self.place, self.origins, self.now) = (place, origins, now)
    }

    var counts: Counts { state.withLock(\.counts) }

    /// Whether ``Purges`` have what the bucket knows: until then, each result that it has may be a purged one.
    var hasPurges: Bool { state.withLock(\.hasPurges) }

    func purgesAreKnown() { state.withLock { $0.hasPurges = true } }

    // MARK: - Results

    /// The result, which may be out of date; waits for it for `time` at most.
    func find(_ key: String, within time: Duration) async -> Finding {
        let finding = await read(key, within: time)
        state.withLock { state in
            switch finding {
            case .found: state.counts.hits += 1
            case .missed: state.counts.misses += 1
            case .wrong: state.counts.wrong += 1
            case .failed: state.counts.lookupFailures += 1
            }
        }
        return finding
    }

    /// The same, without counting it.
    func read(_ key: String, within time: Duration? = nil) async -> Finding {
        let time = min(time ?? place.lookupTime, place.lookupTime)
        guard time > .zero, let object = object(for: key) else { return .failed }
        let response = await response(to: "GET", for: object, within: time)
        let finding: Finding =
            switch response {
            // Without the right to list a bucket, what is missing is denied.
            case .success(let response) where response.status == 404 || Self.isDenied(response): .missed
            case .success(let response) where response.status == 200:
                opened(response.result.body, key).map { .found($0) } ?? .wrong
            case .success, .failure: .failed
            }
        var hasFailed = false
        if case .failed = finding { hasFailed = true }
        let wasFailing = state.withLock { state in
            defer { state.isFailing.lookups = hasFailed }
            return state.isFailing.lookups
        }
        if hasFailed, !wasFailing {
            origins.sources.warn("results in \(name) can't be read: \(Self.reason(response))")
        }
        return finding
    }

    /// Writes a result in the background, unless it must not be kept.
    func store(_ result: StoredResult, forKey key: String) {
        guard result.isFresh, let object = object(for: key), let entry = result.entry else { return }
        let isQueued =
            entry.count <= Self.largestEntry
            && queue.append(object.key, bytes: entry.count) {
                // The trace of the request may have ended.
                await Trace.$current.withValue(nil) { await self.write(entry, key, to: object) }
            }
        if !isQueued { state.withLock { $0.counts.dropped += 1 } }
    }

    /// Writes an entry now.
    func write(_ entry: Data, forKey key: String) async {
        guard let object = object(for: key) else { return }
        await write(entry, key, to: object)
    }

    func remove(_ key: String) {
        guard let object = object(for: key) else { return }
        queue.appendRemoval(object.key) {
            await Trace.$current.withValue(nil) {
                await self.end(self.response(to: "DELETE", for: object, within: self.place.writeTime))
            }
        }
    }

    /// Waits until everything is written.
    func flush(within time: Duration) async {
        let done = OneShot<Void, Never>()
        queue.whenDone { done.finish(.success(())) }
        await cancelling(at: .now + time) {
            await withTaskCancellationHandler {
                await done.value()
            } onCancel: {
                done.finish(.success(()))
            }
        }
    }

    // MARK: - Objects

    private var name: String { "\(place.scheme.rawValue)://\(place.bucket)/\(place.prefix)" }

    /// What a key's object is; nil if libcrypto fails.
    ///
    /// Its name depends on the secret, so that machines with the old one and with the new one don't meet.
    func object(for key: String) -> ObjectAddress? {
        MessageCode.code(of: Array(key.utf8), key: secret).map {
            ObjectAddress(
                scheme: place.scheme, bucket: place.bucket, key: place.prefix + MessageCode.text(of: $0),
                version: nil)
        }
    }

    /// An empty key and a zero are the same to HMAC, but not to libcrypto.
    private var secret: [UInt8] { place.secret.isEmpty ? [0] : place.secret }

    private func write(_ entry: Data, _ key: String, to object: ObjectAddress) async {
        var bytes = Array(entry)
        guard let code = code(of: bytes, key) else { return }
        bytes += code
        await end(response(to: "PUT", for: object, bytes, within: place.writeTime))
    }

    private func end(_ response: Result<RemoteSource.Response, RequestFailure>) {
        var hasFailed = true
        if case .success(let response) = response {
            hasFailed = !(200..<300).contains(response.status)
        }
        let isFirst = state.withLock { state in
            if hasFailed { state.counts.writeFailures += 1 } else { state.counts.writes += 1 }
            defer { state.isFailing.writes = hasFailed }
            return hasFailed && !state.isFailing.writes
        }
        if isFirst { origins.sources.warn("results can't be written to \(name): \(Self.reason(response))") }
    }

    /// The result in an object; nil if it is damaged, another key's, or signed with another secret.
    private func opened(_ object: Data, _ key: String) -> StoredResult? {
        let entry = object.dropLast(32)
        guard let code = code(of: Array(entry), key), MessageCode.isEqual(Array(object.suffix(32))[...], code)
        else {
            return nil
        }
        return StoredResult(entry: entry)
    }

    /// The code of an entry of `key`.
    private func code(of entry: [UInt8], _ key: String) -> [UInt8]? {
        MessageCode.hash(of: Array(key.utf8)).flatMap { MessageCode.code(of: $0 + entry, key: secret) }
    }

    private func response(
        to method: String, for object: ObjectAddress, _ body: [UInt8] = [], within time: Duration
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        await place.store.response(to: method, for: object, body: body, by: origins.transport, now: now) {
            [origins] url, signature, _ in
            do throws(TransportError) {
                var request = try TransportRequest(address: url)
                request.method = method
                request.headers = signature
                if method == "PUT" {
                    request.body = Data(body)
                    request.headers.append(("Content-Type", "application/octet-stream"))
                }
                request.maximumBodyBytes = Self.largestEntry + 32
                // The operator has named the address. A redirect is not followed but signed for the region that it names.
                (request.addressPolicy, request.maximumRedirects) = (.any, 1)
                request.timeouts = TransportTimeouts(
                    queue: time, connect: time, firstByte: time, stall: time, total: time)
                return await origins.response(to: request, for: .object(object), isOwn: true)
            } catch {
                return .failure(RequestFailure(error))
            }
        }
    }

    private static func isDenied(_ response: RemoteSource.Response) -> Bool {
        response.status == 403 && ObjectStore.errorCode(of: response) == "AccessDenied"
    }

    private static func reason(_ response: Result<RemoteSource.Response, RequestFailure>) -> String {
        switch response {
        case .success(let response):
            "the response has the status \(response.status)"
                + (ObjectStore.errorCode(of: response).map { " (\($0))" } ?? "")
        case .failure(let failure): failure.reason
        }
    }
}

extension ResultBucket.Counts {
    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        text.counters(
            "result_bucket_lookups_total", "Lookups in the bucket of results.", "result",
            [("hit", hits), ("miss", misses), ("wrong", wrong), ("failure", lookupFailures)])
        text.counters(
            "result_bucket_writes_total",
            "Results that were written to the bucket, or removed; dropped while too many were waiting.",
            "outcome",
            [("success", writes), ("failure", writeFailures), ("dropped", dropped)])
    }
}
