import AlcedoTestSupport
import CXattr
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Needs a file system with extended attributes: ext4, XFS, btrfs, tmpfs since Linux 6.6.
@Suite(.enabled(if: hasExtendedAttributes)) struct `A file of the disk cache that has changed` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>
    let bytes = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 * 31) })

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
        try storage.store(value: bytes, forKey: "a")
    }

    /// Writes over a part of an entry's file without making another file.
    private func write(_ bytes: [UInt8], at offset: Int) {
        let descriptor = open(storage.path(forKey: "a"), O_WRONLY)
        #expect(pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
        close(descriptor)
    }

    @Test(arguments: [0, 1, 20_000, 39_999])
    func `a cached file that has changed by a single bit is a miss, and is removed`(offset: Int) throws {
        let before = storage.file(forKey: "a")
        write([bytes[offset] ^ 4], at: offset)
        var times = [before?.st_atim ?? timespec(), before?.st_mtim ?? timespec()]
        #expect(utimensat(AT_FDCWD, storage.path(forKey: "a"), &times, 0) == 0)
        #expect(try storage.value(forKey: "a") == nil)
        #expect(storage.entryNames == [])
    }

    @Test(arguments: [0, 1, 39_999, 40_001])
    func `a cached file that has changed in its length is a miss, and is removed`(length: Int) throws {
        let before = storage.file(forKey: "a")
        #expect(truncate(storage.path(forKey: "a"), length) == 0)
        var times = [before?.st_atim ?? timespec(), before?.st_mtim ?? timespec()]
        #expect(utimensat(AT_FDCWD, storage.path(forKey: "a"), &times, 0) == 0)
        #expect(try storage.value(forKey: "a") == nil)
        #expect(storage.entryNames == [])
    }

    @Test func `two cached files that have changed places are misses, and are removed`() throws {
        try storage.store(value: bytes, forKey: "b")
        let (a, b) = (storage.path(forKey: "a"), storage.path(forKey: "b"))
        #expect(rename(a, a + "-") == 0 && rename(b, a) == 0 && rename(a + "-", b) == 0)
        #expect(try storage.value(forKey: "a") == nil)
        #expect(try storage.value(forKey: "b") == nil)
        #expect(storage.entryNames == [])
    }

    @Test func `a cached file without a checksum is believed`() throws {
        write([bytes[7] ^ 4], at: 7)
        #expect(removexattr(storage.path(forKey: "a"), "user.alcedo.xxh3") == 0)
        var times = [timespec(stored: fixture.clock.now), DiskStamp.never.time]
        #expect(utimensat(AT_FDCWD, storage.path(forKey: "a"), &times, 0) == 0)
        #expect(try storage.value(forKey: "a")?.count == bytes.count)
    }

    @Test func `a cached file that replaces another one has a checksum of its own`() throws {
        try storage.store(value: Data([1]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([1]))
        try storage.store(value: Data(), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data())
    }
}

private let hasExtendedAttributes: Bool = {
    guard let folder = try? TemporaryDirectory() else { return false }
    let file = folder.file("attributes").path
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    return setxattr(file, "user.alcedo.test", "1", 1, 0) == 0
}()
