import AlcedoLocks
import AlcedoPixels
public import AlcedoTransport
public import Foundation

/// Which failures a downloader remembers, and for how long.
///
/// It remembers failures that a second request would only repeat. Failed connections, timeouts and cancellations are never
/// among them.
public struct FailureMemory: Sendable, Equatable {
    /// The time from a failure until it is forgotten; 5 min by default.
    public var duration: Duration

    /// The HTTP statuses to remember; 404 and 410 by default.
    ///
    /// Only a status that the downloader rejects is a failure. 401 and 407 are never remembered: they ask for a credential, and
    /// with a renewed one the same request succeeds.
    public var statusCodes: Set<Int>

    /// Whether to remember bodies that are no image, or a damaged one; true by default.
    ///
    /// Those that exceed the `DecodeLimits`, and those that a processor of the program's rejects, are not remembered.
    public var includesUndecodableBodies: Bool

    /// The most URLs to remember; 1,000 by default.
    ///
    /// Beyond it, those that expire first are forgotten.
    public var countLimit: Int

    public init(
        duration: Duration = .seconds(300), statusCodes: Set<Int> = [404, 410],
        includesUndecodableBodies: Bool = true, countLimit: Int = 1_000
    ) {
        self.duration = duration
        self.statusCodes = statusCodes
        self.includesUndecodableBodies = includesUndecodableBodies
        self.countLimit = countLimit
    }
}

extension ImageDownloader {
    /// Which failures are remembered, in memory; nil, the default, for none.
    ///
    /// Setting it forgets all. A load whose request has a remembered failure, with its URL, method, header fields, body and
    /// credential, fails at once, without a request, with ``TransportError/failedBefore(_:url:)``. Retry strategies
    /// are not called for it; alternative sources are tried. A load with `forceRefresh` is sent nevertheless, and a
    /// success forgets the failure.
    public var failureMemory: FailureMemory? {
        get { failures.withLock { $0?.memory } }
        set {
            let clock = clock
            failures.withLock { $0 = newValue.map { FailureTable($0, clock: clock) } }
        }
    }

    /// The last remembered failure of `url`, with any header fields; nil if there is none.
    public func rememberedFailure(of url: URL) -> RememberedFailure? {
        failures.withLock { $0?.lastFailure(of: url.absoluteString) }
    }

    /// Forgets the failures of `url`, with any header fields, so that its next load is sent.
    public func forgetFailure(of url: URL) {
        failures.withLock { $0?.removeAll(of: url.absoluteString) }
    }

    public func forgetFailures() { failures.withLock { $0?.removeAll() } }

    /// Remembers the failure of a transfer if it is to be remembered; forgets an earlier one after a success.
    func record(_ error: KingfisherError?, of task: SessionDataTask) {
        // Local files have no status: reading them again costs little.
        guard failureMemory != nil, task.response?.status ?? 0 != 0 else { return }
        let key = task.key.ofFailure
        guard let error else { return failures.withLock { $0?.remove(key) } }
        // Another handler might lead elsewhere.
        if task.key.hasRedirectHandler, task.response?.url.absoluteString != task.key.url { return }
        let (status, damage) = (error.statusToRemember, error.damage)
        if status == 401 || status == 407 { return }
        // A connection that broke off, if nothing told the body's length.
        if case .truncated = damage, task.response?.expectedBytes == nil { return }
        guard let reason = status.map({ "status \($0)" }) ?? damage?.description else { return }
        failures.withLock { $0?.insert(status: status, reason: reason, for: key) }
    }

    /// Whether a retry of the failed `task` would fail at once.
    func remembersFailure(of task: SessionDataTask) -> Bool {
        failures.withLock { $0?[task.key.ofFailure] } != nil
    }
}

extension KingfisherError {
    /// The failure that was remembered, so that no request was sent; nil for other errors.
    public var rememberedFailure: RememberedFailure? {
        guard case .responseError(reason: .URLSessionError(let error)) = self,
            case .failedBefore(let failure, _)? = error.transportError
        else { return nil }
        return failure
    }

    fileprivate var statusToRemember: Int? {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else { return nil }
        return response.statusCode
    }

    /// Why the bytes are no image, or a damaged one; nil if something else is at fault.
    package var damage: CodecError? {
        guard case .processorError(reason: .processingFailed(let processor, .data)) = self,
            let failed = processor as? FailedProcessor, failed.processor.isOurs, failed.reason.isDamage
        else { return nil }
        return failed.reason
    }
}

/// The failures that a downloader remembers, in memory.
struct FailureTable {
    private struct Entry {
        let failure: RememberedFailure
        let end: Duration
    }

    let memory: FailureMemory
    private let clock: DownloadClock
    private var entries: [CoalescingKey: Entry] = [:]

    init(_ memory: FailureMemory, clock: DownloadClock) {
        self.memory = memory
        self.clock = clock
    }

    /// The failure of `key`; nil if there is none or it has expired.
    subscript(key: CoalescingKey) -> RememberedFailure? {
        entries[key].flatMap { $0.end > clock.now() ? $0.failure : nil }
    }

    /// The last failure of a URL, whatever else the request sent; nil if there is none or all have expired.
    func lastFailure(of url: String) -> RememberedFailure? {
        let now = clock.now()
        return entries.filter { $0.key.url == url && $0.value.end > now }.values.max { $0.end < $1.end }?
            .failure
    }

    /// Remembers a failure, if the memory includes it.
    mutating func insert(status: Int?, reason: String, for key: CoalescingKey) {
        let (now, date) = (clock.now(), Date())
        let duration = min(memory.duration, .seconds(1e9))
        let isIncluded =
            status.map { memory.statusCodes.contains($0) } ?? memory.includesUndecodableBodies
        guard isIncluded, duration > .zero, memory.countLimit > 0 else { return }
        if entries[key] == nil { makeRoom(at: now) }
        let failure = RememberedFailure(
            status: status, reason: reason, date: date, expiration: date.addingTimeInterval(duration.seconds))
        entries[key] = Entry(failure: failure, end: now + duration)
    }

    mutating func remove(_ key: CoalescingKey) { entries[key] = nil }

    /// Forgets the failures of a URL, whatever else the requests sent.
    mutating func removeAll(of url: String) { entries = entries.filter { $0.key.url != url } }

    mutating func removeAll() { entries = [:] }

    /// Removes expired entries once the limit is reached, and the one that expires first if that is not enough.
    private mutating func makeRoom(at now: Duration) {
        guard entries.count >= memory.countLimit else { return }
        entries = entries.filter { $0.value.end > now }
        guard entries.count >= memory.countLimit else { return }
        if let first = entries.min(by: { $0.value.end < $1.value.end }) { entries[first.key] = nil }
    }
}
