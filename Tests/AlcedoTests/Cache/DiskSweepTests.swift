import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

struct `The size of a disk storage` {
    var fixture: DiskFixture
    var clock: TestClock { fixture.clock }

    init() throws {
        fixture = try DiskFixture()
        fixture.config.sizeLimit = 10_000
    }

    @Test func `a disk storage is trimmed to half the limit, what was read least recently first`() throws {
        let storage = try fixture.storage()
        storage.config.sizeLimit = 0
        for number in 0..<10 {
            try storage.store(value: Data(count: 1000), forKey: "\(number)")
            clock.advance(by: 1)
        }
        _ = try storage.value(forKey: "0", extendingExpiration: .none)
        storage.settle()
        #expect(try storage.removeSizeExceededValues() == [])
        storage.config.sizeLimit = 10_001
        #expect(try storage.removeSizeExceededValues() == [])
        storage.config.sizeLimit = 10_000
        let removed = try storage.removeSizeExceededValues()
        #expect(Set(removed.map(\.path)) == Set((1...5).map { storage.path(forKey: "\($0)") }))
        #expect(storage.isCached(forKey: "0"))
        #expect(try storage.totalSize() == 5000)
    }

    @Test func `a disk storage holds its size limit while the program runs`() throws {
        let storage = try fixture.storage()
        for number in 0..<200 {
            try storage.store(value: Data(count: 500), forKey: "\(number)")
            clock.advance(by: 1)
            storage.settle()
            #expect(try storage.totalSize() < 10_000)
        }
        #expect(storage.isCached(forKey: "199"))
        #expect(!storage.isCached(forKey: "0"))
    }

    @Test func `the size of a disk storage counts a replaced and a removed value once`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 3000), forKey: "kept")
        storage.settle()
        for _ in 0..<50 {
            try storage.store(value: Data(count: 3000), forKey: "replaced")
            try storage.store(value: Data(count: 3000), forKey: "removed")
            try storage.remove(forKey: "removed")
            storage.settle()
        }
        #expect(storage.isCached(forKey: "kept") && storage.isCached(forKey: "replaced"))
    }

    @Test func `the size of a disk storage counts what was there before`() throws {
        let first = try fixture.storage()
        first.config.sizeLimit = 0
        for number in 0..<9 { try first.store(value: Data(count: 1000), forKey: "\(number)") }
        let second = try fixture.storage()
        clock.advance(by: 1)
        try second.store(value: Data(count: 1000), forKey: "new")
        second.settle()
        // What is being written while others are removed comes on top of the half that they leave.
        let size = try second.totalSize()
        #expect([5000, 6000].contains(size))
        #expect(second.isCached(forKey: "new"))
    }

    @Test func `a trim of a disk storage removes what has expired first`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 4000), forKey: "old")
        storage.settle()
        clock.advance(by: 1)
        try storage.store(value: Data(count: 4000), forKey: "expired", expiration: .seconds(1))
        clock.advance(by: 1)
        try storage.store(value: Data(count: 2000), forKey: "new")
        storage.settle()
        #expect(["old", "expired", "new"].map { storage.isCached(forKey: $0) } == [true, false, true])
        #expect(storage.entryNames.count == 2)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A sweep of a disk storage` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
    }

    /// Leaves a file as a process that was killed while writing it would have.
    private func leaveTemporary() throws -> (name: String, path: String) {
        let name = ".alcedo-\(getpid())-7"
        let file = storage.directoryURL.appendingPathComponent(name)
        try Data([1, 2, 3]).write(to: file)
        return (name, file.path)
    }

    @Test func `a sweep removes the temporary file of a killed process, which never counts`() throws {
        let left = try leaveTemporary()
        #expect(try storage.totalSize() == 0)
        #expect(storage.fileNames == [left.name])
        #expect(try storage.removeExpiredValues() == [])
        #expect(storage.fileNames == [])
    }

    @Test func `a sweep leaves an empty temporary file for a minute, as it may not be locked yet`() throws {
        let file = storage.directoryURL.appendingPathComponent(".alcedo-999999999-7")
        try Data().write(to: file)
        let changed = try #require(attributes(ofPath: file.path)).st_ctim.tv_sec
        fixture.clock.advance(by: TimeInterval(changed) + 60 - fixture.clock.now.timeIntervalSince1970)
        _ = try storage.removeExpiredValues()
        #expect(storage.fileNames == [file.lastPathComponent])
        fixture.clock.advance(by: 1)
        _ = try storage.removeExpiredValues()
        #expect(storage.fileNames == [])
    }

    @Test func `a sweep leaves the temporary file of a living process, whatever the clock says`() throws {
        let left = try leaveTemporary()
        let descriptor = open(left.path, O_WRONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        _ = try storage.removeExpiredValues()
        #expect(storage.fileNames == [left.name])
        // A program that is being started beside may have the descriptor for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        _ = try storage.removeExpiredValues()
        #expect(storage.fileNames == [])
    }

    @Test
    func `removing all values removes links and pipes, but no folder and nothing beyond a link`() throws {
        let target = fixture.parent.file("target")
        try Data([9]).write(to: target)
        let folder = storage.directoryURL
        symlink(target.path, folder.appendingPathComponent("link").path)
        symlink(fixture.parent.path, folder.appendingPathComponent("folderlink").path)
        mkfifo(folder.appendingPathComponent("pipe").path, 0o600)
        mkdir(folder.appendingPathComponent("sub").path, 0o700)
        try Data().write(to: folder.appendingPathComponent("sub/file"))
        try Data().write(to: folder.appendingPathComponent(".hidden"))
        try storage.store(value: Data([1]), forKey: "a")
        #expect(try storage.totalSize() == 1)
        fixture.clock.advance(by: 8 * 86_400)
        #expect(try storage.removeExpiredValues().map(\.path) == [storage.path(forKey: "a")])
        #expect(storage.fileNames == [".hidden", "folderlink", "link", "pipe", "sub"])
        try storage.removeAll()
        #expect(storage.fileNames == [".hidden", "sub"])
        #expect(try Data(contentsOf: target) == Data([9]))
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("sub/file").path))
    }

    @Test func `a sweep takes a missing folder for an empty one, and removeAll makes it again`() throws {
        try FileManager.default.removeItem(at: storage.directoryURL)
        #expect(try storage.totalSize() == 0)
        #expect(try storage.removeExpiredValues() == [])
        try storage.removeAll()
        #expect(FileManager.default.fileExists(atPath: storage.directoryURL.path))
    }

    @Test func `a sweep says when the folder can't be listed`() throws {
        try FileManager.default.removeItem(at: storage.directoryURL)
        try Data().write(to: storage.directoryURL)
        #expect(KingfisherError.code { try storage.totalSize() } == 3001)
        #expect(KingfisherError.code { try storage.removeExpiredValues() } == 3001)
    }

    /// Sweeps again and again while `body` runs, on two threads of their own: other tests need those of the pool.
    private func sweep(
        _ storage: DiskStorage.Backend<Data>, while body: @escaping @Sendable () -> Void
    ) async throws {
        let (ended, sweeps) = (CallCounter(), Recorder<Result<Void, any Error>>())
        Thread.detachNewThread {
            body()
            ended.increment()
        }
        Thread.detachNewThread {
            sweeps.append(Result { while ended.value == 0 { _ = try storage.removeExpiredValues() } })
        }
        await ended.waitFor(1)
        try await sweeps.waitFor(count: 1).first?.get()
    }

    @Test func `a sweep removes nothing that has taken an expired entry's place`() async throws {
        let lost = CallCounter()
        try await sweep(storage) { [storage, clock = fixture.clock] in
            for _ in 0..<2000 {
                try? storage.store(value: Data([1]), forKey: "a", expiration: .seconds(1))
                clock.advance(by: 2)
                try? storage.store(value: Data([2]), forKey: "a")
                if !storage.isCached(forKey: "a") { lost.increment() }
            }
        }
        #expect(lost.value == 0)
        #expect(storage.fileNames == [sha256Hex("a")])
    }

    @Test func `a sweep subtracts a value once that was replaced meanwhile`() async throws {
        let storage = try fixture.storage()
        storage.config.sizeLimit = 1 << 30
        try await sweep(storage) { [clock = fixture.clock] in
            for number in 0..<2000 {
                try? storage.store(value: Data(count: 5000), forKey: "a", expiration: .seconds(1))
                clock.advance(by: 2)
                try? storage.store(value: Data(count: 5000), forKey: "a")
                try? storage.store(value: Data(count: 10), forKey: "\(number)")
            }
        }
        storage.settle()
        let counted = storage.core.quota.total
        #expect(counted >= Int(try storage.totalSize()))
    }

    @Test func `a sweep never removes a temporary file that a store has locked`() async throws {
        let lost = CallCounter()
        // The clock is far ahead: an empty file that no process has locked is abandoned.
        try await sweep(storage) { [storage, now = fixture.clock.now] in
            for _ in 0..<10_000 {
                guard let (path, descriptor) = try? storage.core.folder.makeStagingFile(bytes: 1) else {
                    continue
                }
                try? storage.core.folder.sweep(at: now, removing: { _ in false })
                if access(path, F_OK) != 0 { lost.increment() }
                unlink(path)
                close(descriptor)
            }
        }
        #expect(lost.value == 0)
    }

    @Test func `a sweep goes through thousands of entries`() async throws {
        for number in 0..<3000 {
            if number % 100 == 0 { await Task.yield() }
            try storage.store(value: Data([1, 2]), forKey: "\(number)")
        }
        #expect(try storage.totalSize() == 6000)
        fixture.clock.advance(by: 8 * 86_400)
        #expect(try storage.removeExpiredValues().count == 3000)
        #expect(storage.fileNames == [])
    }
}
