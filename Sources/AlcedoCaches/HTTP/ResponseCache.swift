import AlcedoLocks
package import AlcedoTransport
import Dispatch
package import Foundation

/// Most changes that wait for a disk, which may hang; each needs a few hundred bytes besides its response's.
private let changeLimit = 10_000

/// HTTP responses in memory and on disk.
///
/// Stores and removals are visible at once. A disk lookup that takes over 2 s is a miss, and later ones skip the disk until it
/// responds. A store without room on disk, or with over 32 MiB staged before it, is dropped. Behind 10,000 staged changes the disk
/// is emptied instead of changed. Caches and processes may share a folder.
package final class ResponseCache: ResponseStore {
    private typealias Found = @Sendable (StoredResponse?) -> Void

    /// Schedules a block for the timeout of a lookup.
    typealias Timeout = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct Lookup {
        let id: Int
        var waiting: [Found]
    }

    private struct State {
        var memory = LRUTable<StoredResponse>()
        var memoryCapacity: Int
        var staged = StagedResponses(byteLimit: 32 << 20)
        var lookups: [String: Lookup] = [:]
        var lastLookup = 0
        var generation = 0

        /// Clears that have not reached the disk.
        var pendingClears = 0

        /// Whether a clear is pending because too many changes were, so that none has to be staged until it is done.
        var isOverflowing = false

        /// The readers with a lookup that timed out.
        var stalled: Set<Int> = []

        /// Stores a response in memory; returns the evicted ones, to be released after the lock.
        mutating func insert(_ response: StoredResponse, _ key: String) -> [StoredResponse] {
            let cost = response.byteCount + key.utf8.count
            var evicted = memory.remove(key).map { [$0] } ?? []
            guard cost <= memoryCapacity else { return evicted }
            evicted += memory.purge(toCost: memoryCapacity - cost)
            memory.insert(response, forKey: key, cost: cost)
            return evicted
        }

        /// Stages a change for the disk, and completes the lookups of its key.
        mutating func change(
            _ key: String, to response: StoredResponse?, _ evicted: [StoredResponse], _ hasDisk: Bool
        ) -> Change {
            var change = Change(evicted: evicted)
            // A running lookup may have read what this replaces.
            change.waiting = lookups.removeValue(forKey: key)?.waiting ?? []
            guard hasDisk, !isOverflowing else { return change }
            if staged.count >= changeLimit {
                change.evicted += staged.removeAll()
                (isOverflowing, change.overflows) = (true, true)
                pendingClears += 1
                return change
            }
            let (ticket, replaced) = staged.stage(response, forKey: key)
            change.ticket = ticket
            if let replaced { change.evicted.append(replaced) }
            return change
        }
    }

    /// The work after a change, outside the lock.
    private struct Change {
        var waiting: [Found] = []
        var ticket: Int?
        var overflows = false

        /// Released outside the lock.
        var evicted: [StoredResponse] = []
    }

    private enum LookupResult {
        case found(StoredResponse?)
        case coalesced
        case read(Int)
    }

    private let disk: (any ResponseDisk)?
    private let timeout: Timeout
    private let state: Lock<State>

    /// The threads that a stalled disk blocks.
    private let readers = (0..<4).map { DispatchQueue(label: "alcedo.responses.read.\($0)") }
    private let writer = DispatchQueue(label: "alcedo.responses.write")
    private static let timeouts = DispatchQueue(label: "alcedo.responses.timeouts")

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: the limit in memory in bytes; 0 for none.
    ///   - diskCapacity: the limit on disk in bytes; 0 for none. There is none either if the folder can't be created.
    ///   - folder: the folder.
    ///   - transform: changes the bytes on disk.
    ///   - timeout: the time after which a disk lookup is a miss.
    package convenience init(
        memoryCapacity: Int, diskCapacity: Int, folder: URL, transform: (any DiskTransform)? = nil,
        timeout: DispatchTimeInterval = .seconds(2)
    ) {
        let disk = ResponseFolder(folder, capacity: diskCapacity, transform: transform)
        self.init(memoryCapacity: memoryCapacity, disk: disk) {
            Self.timeouts.asyncAfter(deadline: .now() + timeout, execute: $0)
        }
    }

    init(memoryCapacity: Int, disk: (any ResponseDisk)?, timeout: @escaping Timeout) {
        state = Lock(State(memoryCapacity: memoryCapacity))
        self.disk = disk
        self.timeout = timeout
        if disk != nil { ExitFlush.add(self) }
    }

    package var generation: Int { state.withLock { $0.generation } }

    // MARK: - Limits

    /// The limit in memory in bytes.
    package var memoryCapacity: Int {
        get { state.withLock { $0.memoryCapacity } }
        set {
            let evicted = state.withLock { state in
                state.memoryCapacity = newValue
                return state.memory.purge(toCost: max(0, newValue))
            }
            _ = consume evicted
        }
    }

    package var bytesInMemory: Int { state.withLock { $0.memory.totalCost } }

    /// The bytes on disk, without those that are still to be written; waits for the disk.
    package var bytesOnDisk: Int { disk?.byteCount ?? 0 }

    /// Sets the limit on disk in bytes, and removes what exceeds it once the disk responds; false if it was opened without a disk.
    package func setDiskCapacity(_ bytes: Int) -> Bool {
        guard let disk else { return false }
        writer.async { disk.setCapacity(bytes) }
        return true
    }

    // MARK: - Lookup

    package func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) {
        let result = state.withLock { state -> LookupResult in
            if let response = state.memory.touch(key) { return .found(response) }
            if let staged = state.staged[key] { return .found(staged) }
            // Before a pending clear is done, the disk still has what it removes.
            guard disk != nil, state.pendingClears == 0, state.stalled.isEmpty else { return .found(nil) }
            guard state.lookups[key] == nil else {
                state.lookups[key]?.waiting.append(found)
                return .coalesced
            }
            state.lastLookup += 1
            state.lookups[key] = Lookup(id: state.lastLookup, waiting: [found])
            return .read(state.lastLookup)
        }
        switch result {
        case .found(let response): found(response)
        case .coalesced: break
        case .read(let id): read(key, id)
        }
    }

    private func read(_ key: String, _ id: Int) {
        let reader = id % readers.count
        readers[reader].async { [self] in
            let isPending = state.withLock { state in
                state.stalled.remove(reader)
                return state.lookups[key]?.id == id
            }
            guard isPending, let disk else { return }
            finishRead(key, id, reader, disk.read(key))
        }
        timeout { [weak self] in self?.timeOut(key, id, reader) }
    }

    private func finishRead(_ key: String, _ id: Int, _ reader: Int, _ response: StoredResponse?) {
        let (waiting, evicted) = state.withLock { state -> ([Found], [StoredResponse]) in
            state.stalled.remove(reader)
            // A removal may have completed the lookup; then the response that was read is obsolete.
            guard state.lookups[key]?.id == id else { return ([], []) }
            let evicted = response.map { state.insert($0, key) } ?? []
            return (state.lookups.removeValue(forKey: key)?.waiting ?? [], evicted)
        }
        _ = consume evicted
        for found in waiting { found(response) }
    }

    private func timeOut(_ key: String, _ id: Int, _ reader: Int) {
        let waiting = state.withLock { state -> [Found] in
            guard state.lookups[key]?.id == id else { return [] }
            state.stalled.insert(reader)
            return state.lookups.removeValue(forKey: key)?.waiting ?? []
        }
        for found in waiting { found(nil) }
    }

    // MARK: - Changes

    package func store(_ response: StoredResponse, forKey key: String, generation: Int) {
        let change = state.withLock { state -> Change in
            guard state.generation == generation else { return Change() }
            return state.change(
                key, to: response, state.insert(response, key), disk != nil)
        }
        finish(change, key, response)
    }

    package func remove(forKey key: String) {
        let change = state.withLock { state in
            state.change(key, to: nil, state.memory.remove(key).map { [$0] } ?? [], disk != nil)
        }
        finish(change, key, nil)
    }

    private func finish(_ change: Change, _ key: String, _ response: StoredResponse?) {
        if let ticket = change.ticket { write(key, ticket) }
        if change.overflows { changeDisk({ $0.removeAll() }, then: { $0.isOverflowing = false }) }
        for found in change.waiting { found(response) }
    }

    package func invalidate(_ keys: [String]) {
        state.withLock { $0.generation += 1 }
        for key in keys { remove(forKey: key) }
    }

    package func removeAll() {
        let old = state.withLock { state -> State in
            var new = State(memoryCapacity: state.memoryCapacity)
            (new.lastLookup, new.generation) = (state.lastLookup, state.generation + 1)
            (new.pendingClears, new.stalled) = (state.pendingClears + (disk == nil ? 0 : 1), state.stalled)
            // Ticket numbers continue: queued write jobs must not match new changes.
            new.staged = state.staged
            _ = new.staged.removeAll()
            new.isOverflowing = state.isOverflowing
            return exchange(&state, with: new)
        }
        changeDisk { $0.removeAll() }
        for lookup in old.lookups.values { for found in lookup.waiting { found(nil) } }
    }

    /// Removes the responses that were received after `date`, on disk also those that were read since; those on their way are
    /// not stored.
    package func removeAll(since date: Date) {
        let (keys, lookups, removed) = state.withLock { state -> ([String], [Lookup], [StoredResponse]) in
            state.generation += 1
            if disk != nil { state.pendingClears += 1 }
            let lookups = Array(state.lookups.values)
            state.lookups = [:]
            let removed = state.memory.removeValues { $0.received > date }
            return (state.staged.keys { $0.received > date }, lookups, removed)
        }
        _ = consume removed
        for key in keys { remove(forKey: key) }
        changeDisk { $0.removeAll(since: date) }
        for lookup in lookups { for found in lookup.waiting { found(nil) } }
    }

    /// Has the writer change the whole disk, for which `pendingClears` was raised.
    private func changeDisk(
        _ work: @escaping @Sendable (any ResponseDisk) -> Void,
        then change: @escaping @Sendable (inout State) -> Void = { _ in }
    ) {
        guard let disk else { return }
        writer.async { [self] in
            work(disk)
            state.withLock { state in
                state.pendingClears -= 1
                change(&state)
            }
        }
    }

    /// Queues the write job of a staged change.
    private func write(_ key: String, _ ticket: Int) {
        writer.async { [self] in
            guard let disk, let change = state.withLock({ $0.staged.start(ticket, forKey: key) }) else {
                return
            }
            if let response = change.response { disk.write(response, forKey: key) } else { disk.remove(key) }
            state.withLock { $0.staged.finish(change.version, forKey: key) }
        }
    }

    /// Blocks until all changes are on disk.
    package func waitForDisk() { writer.sync {} }

    /// Calls `then` once: when all present changes are on disk, or after `seconds`.
    package func flush(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let result = OnceCallback(then)
        writer.async { result.call(.success(())) }
        after(seconds) { [self] in
            let (count, bytes) = state.withLock { ($0.staged.count + $0.pendingClears, $0.staged.byteCount) }
            let error = CacheFlushError(pendingCount: count, pendingBytes: bytes)
            result.call(count == 0 ? .success(()) : .failure(error))
        }
    }
}

extension ResponseCache: ExitFlush.Member {
    package var hasPendingChanges: Bool {
        state.withLock { $0.stalled.isEmpty && $0.staged.count + $0.pendingClears > 0 }
    }

    package func flushBeforeExit(within seconds: Double, then: @escaping @Sendable () -> Void) {
        flush(within: seconds) { _ in then() }
    }
}
