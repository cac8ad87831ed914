import AlcedoTransport
import Foundation

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
        // False for NaN, too.
        let seconds = memory.duration > 0 ? min(memory.duration, 1e9) : 0
        let isIncluded =
            status.map { memory.statusCodes.contains($0) } ?? memory.includesUndecodableBodies
        guard isIncluded, seconds > 0, memory.countLimit > 0 else { return }
        if entries[key] == nil { makeRoom(at: now) }
        let failure = RememberedFailure(
            status: status, reason: reason, date: date, expiration: date.addingTimeInterval(seconds))
        entries[key] = Entry(failure: failure, end: now + .seconds(seconds))
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
