import AlcedoLocks
package import AlcedoTransport
import Dispatch
package import Foundation

/// HTTP responses in memory and on disk.
///
/// What has been stored or removed counts at once, on disk or not. Nothing waits for the disk: a look-up that it does not
/// answer in 2 s has found nothing, and further ones don't ask it until it answers again; a store that finds no room, or too
/// many before it, is left out. Several caches may share a folder, those of other processes too.
package final class ResponseCache: ResponseStore {
    private typealias Found = @Sendable (StoredResponse?) -> Void

    /// Has a block run when a look-up has taken too long.
    typealias Timeout = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct LookUp {
        let id: Int
        var waiting: [Found]
    }

    private struct State {
        var memory = LRUTable<StoredResponse>()
        var staged = StagedResponses(byteLimit: 32 << 20)
        var lookUps: [String: LookUp] = [:]
        var lastLookUp = 0
        var generation = 0

        /// How often the disk is still to be emptied.
        var pendingClears = 0

        /// The readers that a look-up has waited for in vain.
        var stalled: Set<Int> = []

        /// Keeps `response` in memory; returns what leaves, to be freed without the lock.
        mutating func remember(_ response: StoredResponse, _ key: String, capacity: Int) -> [StoredResponse] {
            let cost = response.byteCount + key.utf8.count
            var leaving = memory.remove(key).map { [$0] } ?? []
            guard cost <= capacity else { return leaving }
            leaving += memory.purge(toCost: capacity - cost)
            memory.insert(response, forKey: key, cost: cost)
            return leaving
        }

        /// Has the disk follow what has been done in memory, and whoever looks for the key be answered.
        mutating func change(
            _ key: String, to response: StoredResponse?, _ leaving: [StoredResponse], _ hasDisk: Bool
        ) -> Change {
            var change = Change(leaving: leaving)
            change.waiting = lookUps.removeValue(forKey: key)?.waiting ?? []
            guard hasDisk else { return change }
            let (ticket, replaced) = staged.stage(response, forKey: key)
            change.ticket = ticket
            if let replaced { change.leaving.append(replaced) }
            return change
        }
    }

    /// What is to be done after a change, without the lock.
    private struct Change {
        var waiting: [Found] = []
        var ticket: Int?

        /// What is to be freed.
        var leaving: [StoredResponse] = []
    }

    private enum Answer {
        case known(StoredResponse?)
        case coalesced
        case read(Int)
    }

    private let memoryCapacity: Int
    private let disk: (any ResponseDisk)?
    private let timeout: Timeout
    private let state = Lock(State())

    /// A hanging disk takes these threads, and no others.
    private let readers = (0..<4).map { DispatchQueue(label: "alcedo.responses.read.\($0)") }
    private let writer = DispatchQueue(label: "alcedo.responses.write")
    private static let timeouts = DispatchQueue(label: "alcedo.responses.timeouts")

    /// Opens or makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: most bytes in memory; nothing is kept there with 0.
    ///   - diskCapacity: most bytes on disk; nothing is kept there with 0, or if there can be no folder.
    ///   - folder: where on disk.
    package convenience init(memoryCapacity: Int, diskCapacity: Int, folder: URL) {
        self.init(memoryCapacity: memoryCapacity, disk: ResponseFolder(folder, capacity: diskCapacity)) {
            Self.timeouts.asyncAfter(deadline: .now() + 2, execute: $0)
        }
    }

    init(memoryCapacity: Int, disk: (any ResponseDisk)?, timeout: @escaping Timeout) {
        self.memoryCapacity = memoryCapacity
        self.disk = disk
        self.timeout = timeout
    }

    package var generation: Int { state.withLock { $0.generation } }

    // MARK: - Looking up

    package func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) {
        let answer = state.withLock { state -> Answer in
            if let response = state.memory.use(key) { return .known(response) }
            if let staged = state.staged[key] { return .known(staged) }
            guard disk != nil, state.pendingClears == 0, state.stalled.isEmpty else { return .known(nil) }
            guard state.lookUps[key] == nil else {
                state.lookUps[key]?.waiting.append(found)
                return .coalesced
            }
            state.lastLookUp += 1
            state.lookUps[key] = LookUp(id: state.lastLookUp, waiting: [found])
            return .read(state.lastLookUp)
        }
        switch answer {
        case .known(let response): found(response)
        case .coalesced: break
        case .read(let id): read(key, id)
        }
    }

    private func read(_ key: String, _ id: Int) {
        let reader = id % readers.count
        readers[reader].async { [self] in
            let isAwaited = state.withLock { state in
                state.stalled.remove(reader)
                return state.lookUps[key]?.id == id
            }
            guard isAwaited, let disk else { return }
            finishRead(key, id, reader, disk.read(key))
        }
        timeout { [weak self] in self?.giveUp(key, id, reader) }
    }

    private func finishRead(_ key: String, _ id: Int, _ reader: Int, _ response: StoredResponse?) {
        let (waiting, leaving) = state.withLock { state -> ([Found], [StoredResponse]) in
            state.stalled.remove(reader)
            // A look-up that was answered otherwise, as by a removal, must not bring back what it has read.
            guard state.lookUps[key]?.id == id else { return ([], []) }
            let leaving = response.map { state.remember($0, key, capacity: memoryCapacity) } ?? []
            return (state.lookUps.removeValue(forKey: key)?.waiting ?? [], leaving)
        }
        _ = consume leaving
        for found in waiting { found(response) }
    }

    private func giveUp(_ key: String, _ id: Int, _ reader: Int) {
        let waiting = state.withLock { state -> [Found] in
            guard state.lookUps[key]?.id == id else { return [] }
            state.stalled.insert(reader)
            return state.lookUps.removeValue(forKey: key)?.waiting ?? []
        }
        for found in waiting { found(nil) }
    }

    // MARK: - Changing

    package func store(_ response: StoredResponse, forKey key: String, generation: Int) {
        let change = state.withLock { state -> Change in
            guard state.generation == generation else { return Change() }
            return state.change(
                key, to: response, state.remember(response, key, capacity: memoryCapacity), disk != nil)
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
        for found in change.waiting { found(response) }
    }

    package func invalidate(_ keys: [String]) {
        state.withLock { $0.generation += 1 }
        for key in keys { remove(forKey: key) }
    }

    func removeAll() {
        let old = state.withLock { state -> State in
            var new = State()
            (new.lastLookUp, new.generation) = (state.lastLookUp, state.generation + 1)
            (new.pendingClears, new.stalled) = (state.pendingClears + (disk == nil ? 0 : 1), state.stalled)
            // Its tickets go on: those of writes that are still to come must name none of the new changes.
            new.staged = state.staged
            new.staged.removeAll()
            return exchange(&state, with: new)
        }
        if let disk {
            writer.async { [self] in
                disk.removeAll()
                state.withLock { $0.pendingClears -= 1 }
            }
        }
        for lookUp in old.lookUps.values { for found in lookUp.waiting { found(nil) } }
    }

    /// Writes what is staged for `key` when its turn comes.
    private func write(_ key: String, _ ticket: Int) {
        writer.async { [self] in
            guard let disk, let change = state.withLock({ $0.staged.begin(ticket, forKey: key) }) else {
                return
            }
            if let response = change.response { disk.write(response, forKey: key) } else { disk.remove(key) }
            state.withLock { $0.staged.end(change.version, forKey: key) }
        }
    }

    /// Waits until what was asked for is on disk.
    package func waitForDisk() { writer.sync {} }
}
