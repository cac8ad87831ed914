import AlcedoLocks
import AlcedoTestSupport
import Foundation

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Several machines with caches of their own, a store that they share, and a server.
struct Fleet {
    struct Machine: Sendable {
        let cache: ImageCache
        let shared: SharedImageCache
        let manager: KingfisherManager
    }

    let server: LoopbackServer
    let store = DictionaryStore()
    let folder: TemporaryDirectory
    let machines: [Machine]

    /// Nothing is given up early, unless `configure` changes that: many tests share the cores.
    init(
        _ count: Int = 2, transform: (any DiskTransform)? = nil,
        _ configure: (inout SharedCacheSettings) -> Void = { _ in }
    ) throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        var settings = SharedCacheSettings {
            ($0.lookupTimeout, $0.leaseWait) = (.seconds(1000), .seconds(1000))
            ($0.leaseTime, $0.writeTimeout) = (.seconds(10_000), .seconds(1000))
            $0.secrets = [Data("a secret of the fleet".utf8)]
        }
        configure(&settings)
        let clock = Clock()
        self.clock = clock
        var machines: [Machine] = []
        for number in 0..<count {
            let downloader = ImageDownloader(name: "machine \(number)")
            // A load waits for a lease for half of it.
            downloader.downloadTimeout = 2000
            let cache = try ImageCache.patient("machine\(number)", in: folder.file("\(number)"))
            cache.diskStorage.config.transform = transform
            let shared = SharedImageCache(
                store, settings: settings, now: { clock.now }, uptime: { .seconds(clock.elapsed) })
            cache.sharedCache = shared
            let manager = KingfisherManager(downloader: downloader, cache: cache)
            manager.defaultOptions = [.callbackQueue(.untouch)]
            machines.append(Machine(cache: cache, shared: shared, manager: manager))
        }
        self.machines = machines
    }

    /// The time of values, and of the pauses after failures.
    let clock: Clock

    final class Clock: Sendable {
        private let start = Date()
        private let seconds = Lock<TimeInterval>(0)
        var elapsed: TimeInterval { seconds.withLock { $0 } }
        var now: Date { start + elapsed }
        func advance(by seconds: TimeInterval) { self.seconds.withLock { $0 += seconds } }
    }

    subscript(_ index: Int) -> Machine { machines[index] }

    /// Loads on a machine, and waits until the shared cache has what it gets.
    @discardableResult
    func load(
        _ path: String, on index: Int = 0, _ options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        let result = try await machines[index].manager.retrieveImage(
            with: server.url(path), options: options)
        try await machines[index].cache.flush(within: .seconds(1000))
        return result
    }
}

/// A store in memory, whose values never expire by themselves.
final class DictionaryStore: SharedImageStore {
    struct Failure: Error {}

    struct State: Sendable {
        var values: [String: Data] = [:]
        var expiries: [String: Int] = [:]
        var calls = 0
        var fails = false
    }

    let state = Lock(State())

    /// Calls wait for it, if there is one.
    let gate = Lock<Gate?>(nil)

    /// Calls that have been made wait for it before they answer.
    let answers = Lock<Gate?>(nil)

    private func call<Value: Sendable>(_ body: (inout State) throws -> Value) async throws -> Value {
        if let gate = gate.withLock({ $0 }) { await gate.pass() }
        let value = try state.withLock { state in
            state.calls += 1
            if state.fails { throw Failure() }
            return try body(&state)
        }
        if let gate = answers.withLock({ $0 }) { await gate.pass() }
        return value
    }

    func value(forKey key: String) async throws -> Data? { try await call { $0.values[key] } }

    func set(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws {
        try await call { ($0.values[key], $0.expiries[key]) = (value, seconds) }
    }

    func add(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws -> Bool {
        try await call { state in
            if state.values[key] != nil { return false }
            (state.values[key], state.expiries[key]) = (value, seconds)
            return true
        }
    }

    func delete(_ key: String) async throws { try await call { $0.values[key] = nil } }

    /// The values of images and failures, by name.
    var images: [String: Data] {
        // Copied, as shared storage must not leave the lock (decision 0009).
        state.withLock { $0.values.mapValues(\.self) }
            .filter { $0.key.hasPrefix("al1:") && !$0.key.hasSuffix(":epoch") }
    }
    var leases: [String] { state.withLock { $0.values.keys.filter { $0.hasPrefix("L:") } } }
}
