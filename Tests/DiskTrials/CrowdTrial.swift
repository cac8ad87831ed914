import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Foundation

/// Four processes store and read in one folder that is too small for what they store.
struct CrowdTrial {
    static let limit: UInt = 2_000_000
    private static let keys: UInt64 = 200

    let folder: String

    /// How often each process reads.
    let count: Int

    /// Starts them, and measures the folder until they have ended.
    func run() async throws {
        let storage = try storage()
        let members = try (0..<4).map { _ in
            try ChildProcess([CommandLine.arguments[0], "member", folder, "\(count)"])
        }
        let running = Lock(members.count)
        let ends = Task {
            for member in members {
                let end = try await member.waitForEnd()
                if end.status != 0 { print("a process has failed") }
                running.withLock { $0 -= 1 }
            }
        }
        var most = 0
        var last = try FolderListing(of: storage.directoryURL.path)
        while running.withLock({ $0 > 0 }) {
            let next = try FolderListing(of: storage.directoryURL.path)
            most = max(most, next.bytes(since: last))
            last = next
        }
        try await ends.value
        print("limit=\(Self.limit) most=\(most)")
    }

    /// One of them: reads more than it stores, and looks at every byte.
    func beMember() throws {
        let storage = try storage()
        var (hits, stores, number) = (0, 0, UInt64(ProcessInfo.processInfo.processIdentifier))
        for _ in 0..<count {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = number >> 33 % Self.keys
            do {
                if let data = try storage.value(forKey: "\(key)") {
                    hits += 1
                    if !TrialValue.isWhole(data, key: key) { print("\(key) has wrong bytes") }
                }
                if number >> 50 % 3 == 0 {
                    stores += 1
                    try storeIfRoom(TrialValue.bytes(key: key, version: number >> 40), "\(key)", in: storage)
                }
                if number >> 52 % 64 == 0 { _ = try storage.removeExpiredValues() }
            } catch {
                print("\(error)")
            }
        }
        if hits == 0 || stores == 0 { print("\(hits) hits, \(stores) stores") }
    }

    /// Stores never wait for room: a value that finds none is dropped.
    private func storeIfRoom(_ value: Data, _ key: String, in storage: DiskStorage.Backend<Data>) throws {
        do { try storage.store(value: value, forKey: key) } catch {
            guard case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let cause)) = error,
                cause is DiskQuotaError
            else { throw error }
        }
    }

    private func storage() throws -> DiskStorage.Backend<Data> {
        // A process that has the lock of the usage may have to wait for a core.
        try DiskStorage.Backend(
            config: .init(name: "crowd", sizeLimit: Self.limit, directory: URL(fileURLWithPath: folder)),
            now: { Date() }, lockWait: DiskLockWait(seconds: 1000))
    }
}
