import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `The size limit of a disk storage` {
    var fixture: DiskFixture
    let limit = 1_000_000

    /// Most bytes that the folder may take: a tenth more than the limit.
    var most: Int { limit + limit / 10 }

    init() throws {
        fixture = try DiskFixture()
        fixture.config.sizeLimit = UInt(limit)
    }

    /// Runs `body` so many times at once, on threads of its own, while another measures the folder all the time.
    private func largestSize(
        in storage: DiskStorage.Backend<Data>,
        threads: Int,
        while body: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        let ended = Recorder<Int>()
        let largest = Recorder<Result<Int, any Error>>()
        let measuring = Gate()
        for number in 0..<threads {
            Thread.detachNewThread {
                measuring.wait()
                body(number)
                ended.append(number)
            }
        }
        Thread.detachNewThread {
            largest.append(
                Result {
                    var most = 0
                    var last = try FolderListing(of: storage.directoryURL.path)
                    repeat {
                        let next = try FolderListing(of: storage.directoryURL.path)
                        most = max(most, next.bytes(since: last))
                        last = next
                        measuring.open()
                    } while ended.count < threads
                    return most
                })
        }
        return try await largest.waitFor(count: 1)[0].get()
    }

    /// Stores more than half of the limit, so that even a measurement that is made once finds something.
    private func fill(_ storage: DiskStorage.Backend<Data>) throws {
        for number in 0..<6 {
            try storage.store(value: Data(count: limit / 10), forKey: "filling \(number)")
        }
    }

    /// Storages in one folder that wait for each other as long as it takes, by the clock as it is.
    private func storages(_ count: Int) throws -> [DiskStorage.Backend<Data>] {
        try (0..<count).map { _ in
            try DiskStorage.Backend<Data>(config: fixture.config, now: { Date() }, lockWait: .patient)
        }
    }

    /// Stores a value; false if it was dropped for want of room.
    private func store(
        _ bytes: Int, _ key: String, in storage: DiskStorage.Backend<Data>
    ) throws -> Bool {
        do {
            try storage.store(value: Data(count: bytes), forKey: key)
            return true
        } catch {
            guard case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let cause)) = error,
                cause is DiskQuotaError
            else { throw error }
            return false
        }
    }

    @Test func `a size limit holds at every moment, and what is read all the time survives`() async throws {
        // By its clock, which stands still, all reads are of the last second.
        let storage = try fixture.storage()
        let hot = (0..<5).map { "hot \($0)" }
        for key in hot {
            try storage.store(value: Data(count: 10_000), forKey: key)
            #expect(try storage.value(forKey: key) != nil)
        }
        try fill(storage)
        let (failures, stored, missed) = (Recorder<String>(), CallCounter(), CallCounter())
        let largest = try await largestSize(in: storage, threads: 5) { thread in
            for number in 0..<300 {
                do {
                    if thread == 0 {
                        for key in hot where try storage.value(forKey: key) == nil { missed.increment() }
                    } else {
                        let size = (number * 7919 + thread * 104_729) % 40_000
                        if try store(size, "\(thread) \(number)", in: storage) { stored.increment() }
                    }
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        #expect(failures.values == [] && missed.value == 0)
        #expect(largest > limit / 2 && largest <= most)
        #expect(stored.value > 100 && stored.value + storage.core.quota.rejections == 1200)
    }

    @Test func `a size limit is shared by storages that know nothing of each other`() async throws {
        let storages = try storages(4)
        try fill(storages[0])
        let (failures, stored) = (Recorder<String>(), CallCounter())
        let largest = try await largestSize(in: storages[0], threads: 4) { thread in
            for number in 0..<200 {
                do {
                    if try store(30_000, "\(thread) \(number)", in: storages[thread]) { stored.increment() }
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        #expect(failures.values == [] && stored.value > 0)
        #expect(largest > limit / 2 && largest <= most)
    }

    @Test func `a size limit counts a value once that several storages replace at once`() async throws {
        let storages = try storages(4)
        for storage in storages {
            try storage.store(value: Data(count: 300_000), forKey: "kept")
            storage.settle()
        }
        _ = try await largestSize(in: storages[0], threads: 4) { thread in
            for number in 0..<200 {
                try? storages[thread].store(value: Data(count: 1 + number * 400), forKey: "replaced")
                if number % 9 == thread { try? storages[thread].remove(forKey: "replaced") }
            }
        }
        for storage in storages { storage.settle() }
        let size = try storages[0].totalSize()
        // Two storages that replace one file at once may both release it, so the next listing decides.
        let counted = try storages[0].core.count().total
        #expect(counted >= size && counted <= limit)
        #expect(storages[1].core.quota.total == counted)
        #expect(storages[0].isCached(forKey: "kept"))
    }

    @Test func `a value that was replaced before a listing is not subtracted from the size twice`() throws {
        let storage = try fixture.storage()
        let other = try fixture.storage()
        for key in ["kept", "kept too"] { try storage.store(value: Data(count: limit / 3), forKey: key) }
        try storage.store(value: Data(count: 9000), forKey: "replaced")
        storage.settle()
        try storage.store(value: Data(count: 1), forKey: "replaced")
        let size = try other.core.count().entries.totalSize
        #expect(size == limit / 3 * 2 + 1)
        #expect(storage.core.quota.total >= size)
    }

    @Test func `values removed while another storage lists are not subtracted from the size twice`() throws {
        let storage = try fixture.storage()
        let other = try fixture.storage()
        for number in 0..<10 {
            try storage.store(value: Data(count: limit / 11), forKey: "\(number)")
            fixture.clock.advance(by: 1)
        }
        storage.settle()
        var size = 0
        _ = try storage.core.trim(to: limit / 3) { _ in
            size = (try? other.core.count())?.entries.totalSize ?? 0
        }
        #expect(size > 0 && size < limit / 3)
        #expect(storage.core.quota.total >= size)
    }

    @Test func `what storages reserve ahead hardly counts for the size limit`() throws {
        let storages = try (0..<200).map { _ in try fixture.storage() }
        for (number, storage) in storages.enumerated() {
            try storage.store(value: Data(count: 1000), forKey: "\(number)")
            storage.settle()
        }
        #expect(try storages[0].totalSize() == 200_000)
        let counted = storages[0].core.quota.total
        #expect((200_000...206_000).contains(counted))
    }

    @Test func `a value as large as the size limit is rejected, and everything else stays`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 1000), forKey: "a")
        do {
            try storage.store(value: Data(count: limit), forKey: "b")
            Issue.record("stored")
        } catch {
            guard case .cacheError(reason: .cannotCreateCacheFile(_, let key, _, let cause)) = error else {
                throw error
            }
            #expect(key == "b" && (cause as? POSIXError)?.code == .EFBIG)
        }
        #expect(storage.isCached(forKey: "a") && !storage.isCached(forKey: "b"))
        fixture.clock.advance(by: 1)
        try storage.store(value: Data(count: limit - 1), forKey: "c")
        storage.settle()
        #expect(storage.isCached(forKey: "c"))
        #expect(try storage.totalSize() < UInt(limit))
    }

    @Test func `a store of a large value makes all the room that the value needs`() throws {
        let storage = try fixture.storage()
        for number in 0..<9 {
            try storage.store(value: Data(count: limit / 10), forKey: "\(number)")
            fixture.clock.advance(by: 1)
        }
        #expect(try store(limit * 8 / 10, "large", in: storage))
        #expect(storage.isCached(forKey: "8") && !storage.isCached(forKey: "6"))
        storage.settle()
        #expect(storage.isCached(forKey: "large"))
    }

    @Test func `a storage with a size limit rejects a value where the folder can't be listed`() throws {
        let storage = try fixture.storage()
        try FileManager.default.removeItem(at: storage.directoryURL)
        try Data().write(to: storage.directoryURL)
        #expect(KingfisherError.code { try storage.store(value: Data([1]), forKey: "a") } == 3009)
    }

    /// Locks a staging file, as another process does while it writes.
    private func stagingFile(bytes: Int, in storage: DiskStorage.Backend<Data>) throws -> Int32 {
        let descriptor = open(
            storage.core.folder.path(of: ".alcedo-1-1-\(bytes)"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_EX) == 0 && ftruncate(descriptor, 1) == 0)
        return descriptor
    }

    @Test func `a size limit counts what another process is writing`() throws {
        let storage = try fixture.storage()
        let descriptor = try stagingFile(bytes: limit / 2, in: storage)
        #expect(try storage.core.count().total == limit / 2)
        #expect(try !store(limit * 6 / 10, "a", in: storage))
        storage.settle()
        // Its process is gone.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try storage.core.count()
        #expect(try store(limit * 6 / 10, "a", in: storage))
        #expect(storage.fileNames.count == 2)
    }

    @Test func `a size limit does not count what a process that is gone was writing`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: limit / 3), forKey: "a")
        storage.settle()
        #expect(DiskQuota(folder: storage.core.folder).reserve(limit / 2, limit: limit) == .granted)
        #expect(try store(limit / 3, "b", in: storage))
        #expect(storage.isCached(forKey: "a"))
    }

    @Test func `a value that was read in the last second is not evicted for the size limit`() throws {
        let storage = try fixture.storage()
        for key in ["read", "not read", "read long ago"] {
            try storage.store(value: Data(count: limit / 100), forKey: key)
        }
        for (key, pause) in [("read long ago", 1.0), ("read", 0)] {
            _ = try storage.value(forKey: key)
            fixture.clock.advance(by: pause)
        }
        for number in 0..<9 {
            fixture.clock.advance(by: 0.01)
            try storage.store(value: Data(count: limit / 8), forKey: "\(number)")
            storage.settle()
        }
        #expect(storage.isCached(forKey: "read") && storage.isCached(forKey: "8"))
        #expect(!storage.isCached(forKey: "not read") && !storage.isCached(forKey: "read long ago"))
    }

    @Test(arguments: [true, false])
    func `a size limit holds though the file of the usage is damaged or gone`(isGone: Bool) throws {
        let storage = try fixture.storage()
        let other = try fixture.storage()
        let file = storage.directoryURL.appendingPathComponent(".alcedo-size")
        for number in 0..<100 {
            if number % 10 == 3 {
                if isGone { unlink(file.path) } else { try Data("garbage".utf8).write(to: file) }
            }
            let user = number % 2 == 0 ? storage : other
            try user.store(value: Data(count: 50_000), forKey: "\(number)")
            user.settle()
            fixture.clock.advance(by: 1)
            #expect(try storage.totalSize() <= UInt(most))
        }
        #expect(storage.isCached(forKey: "99") && storage.isCached(forKey: "98"))
    }

    @Test func `a size limit holds without waiting for a stopped process that has the lock`() throws {
        let storage = try fixture.storage(lockWait: DiskLockWait(seconds: 0.05))
        for key in ["a", "b"] { try storage.store(value: Data(count: limit / 4), forKey: key) }
        storage.settle()
        let stopped = open(storage.core.folder.path(of: ".alcedo-size"), O_RDWR | O_CLOEXEC)
        #expect(flock(stopped, LOCK_EX) == 0)
        for number in 0..<20 {
            fixture.clock.advance(by: 1)
            try storage.store(value: Data(count: limit / 10), forKey: "\(number)")
            try storage.remove(forKey: "a")
            storage.settle()
            #expect(try storage.totalSize() <= UInt(most))
        }
        #expect(storage.isCached(forKey: "19"))
        // It runs again: the storage counts what it could not share.
        flock(stopped, LOCK_UN)
        close(stopped)
        try storage.store(value: Data(count: limit / 10), forKey: "last")
        storage.settle()
        #expect(storage.core.quota.total >= Int(try storage.totalSize()))
    }

    @Test func `a size limit holds without a file for the usage`() async throws {
        let storage = try fixture.storage()
        mkdir(storage.directoryURL.appendingPathComponent(".alcedo-size").path, 0o700)
        try fill(storage)
        let (failures, stored) = (Recorder<String>(), CallCounter())
        let largest = try await largestSize(in: storage, threads: 4) { thread in
            for number in 0..<100 {
                do {
                    if try store(80_000, "\(thread) \(number)", in: storage) { stored.increment() }
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        #expect(failures.values == [] && stored.value > 0)
        #expect(largest > limit / 2 && largest <= most)
    }

    @Test func `a size limit counts what was stored while there was no limit`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 1000), forKey: "first")
        storage.config.sizeLimit = 0
        for number in 0..<10 { try storage.store(value: Data(count: limit / 5), forKey: "\(number)") }
        fixture.clock.advance(by: 1)
        storage.config.sizeLimit = UInt(limit)
        try storage.store(value: Data(count: 1000), forKey: "last")
        #expect(try storage.totalSize() <= UInt(limit))
        #expect(storage.isCached(forKey: "last"))
    }

    @Test func `a value that a clock years ahead has dated is evicted first for the size limit`() throws {
        let storage = try fixture.storage()
        let years = 5 * 365 * 86_400.0
        fixture.clock.advance(by: years)
        try storage.store(value: Data(count: limit * 6 / 10), forKey: "dated", expiration: .never)
        // The first store has the folder listed, which must not go on by another clock than it began.
        storage.settle()
        fixture.clock.advance(by: -years)
        try storage.store(value: Data(count: limit * 3 / 10), forKey: "now")
        fixture.clock.advance(by: 1)
        try storage.store(value: Data(count: limit / 10), forKey: "new")
        storage.settle()
        #expect(["dated", "now", "new"].map { storage.isCached(forKey: $0) } == [false, true, true])
    }
}
