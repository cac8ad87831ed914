import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoTransport
@testable import EngineFixtures

/// The files of bodies that arrive at the same time.
@Suite(.timeLimit(.minutes(10)))
struct `A folder of partial bodies` {
    private let parent: TemporaryDirectory
    private let folder: PartialFolder

    init() throws {
        parent = try TemporaryDirectory()
        folder = PartialFolder(
            path: parent.path, byteLimit: 1_000_000, expiration: 1_000, timeout: { _, _ in {} })
    }

    private func keeper(_ key: String, total: Int) throws -> PartialKeeper {
        let response = TransportResponse(
            url: try #require(URL(string: "http://127.0.0.1/\(key)")), status: 200,
            headers: [("ETag", "\"1\"")],
            expectedBytes: Int64(total))
        return PartialKeeper(try #require(PartialResponse(response)), forKey: key, store: folder)
    }

    /// The sum of all files' bytes, once the disk is done.
    private func bytes() throws -> Int {
        folder.queue.sync {}
        return try FileManager.default.contentsOfDirectory(atPath: parent.path).reduce(0) { sum, name in
            sum + (try Data(contentsOf: parent.file(name)).count)
        }
    }

    private func take(_ key: String) async -> PartialResponse? {
        let taken = OneShot<PartialResponse?, Never>()
        folder.take(key) { found in
            found?.file.keep()
            taken.finish(.success(found?.response))
        }
        return await taken.value()
    }

    @Test func `a partial folder gives the file of an ended transfer, though a program is being started`()
        async throws
    {
        var first = try keeper("a", total: 700_000)
        first.append(Data(repeating: 1, count: 100_000))
        folder.queue.sync {}
        let copy = try copyOfDescriptor(of: parent.file(PartialFolder.name(of: "a")).path)
        defer { close(copy) }
        #expect(await take("a") == nil)
        first.end(keeps: true)
        #expect(await take("a")?.body.count == 100_000)
        // Taken and kept: its lock is free again.
        #expect(await take("a")?.body.count == 100_000)
    }

    @Test
    func `a partial folder keeps its limit though another transfer of a file's URL has ended`() async throws {
        var first = try keeper("a", total: 700_000)
        first.append(Data(repeating: 1, count: 100_000))
        var second = try keeper("a", total: 700_000)
        second.append(Data(repeating: 2, count: 100_000))
        second.end(keeps: true)
        var other = try keeper("b", total: 700_000)
        for _ in 0..<6 {
            first.append(Data(repeating: 1, count: 90_000))
            other.append(Data(repeating: 3, count: 100_000))
        }
        #expect(try bytes() <= 1_000_000)
        first.end(keeps: true)
        other.end(keeps: true)
        let kept = await take("a")
        #expect(kept?.body.count ?? 0 >= 100_000 && kept?.body.allSatisfy { $0 == 1 } == true)
    }

    @Test func `a partial folder removes no files for a length that is only announced`() async throws {
        for key in ["a", "b"] {
            var keeper = try keeper(key, total: 700_000)
            keeper.append(Data(repeating: 1, count: 300_000))
            keeper.end(keeps: true)
        }
        var liar = try keeper("c", total: 1_000_000)
        liar.append(Data(repeating: 1, count: 70_000))
        liar.end(keeps: true)
        for key in ["a", "b"] { #expect(await take(key)?.body.count == 300_000) }
        #expect(await take("c")?.body.count == 70_000)
    }

    @Test func `a partial folder keeps no files for a disk that hangs`() async throws {
        let timeouts = Recorder<@Sendable () -> Void>()
        let folder = PartialFolder(
            path: parent.path, byteLimit: 1_000_000, expiration: 1_000,
            timeout: { _, expire in
                timeouts.append(expire)
                return {}
            })
        let hang = Gate()
        folder.queue.async { hang.wait() }
        await hang.waitForArrivals(1)
        let found = Recorder<Bool>()
        folder.take("a") { found.append($0 != nil) }
        for expire in timeouts.values { expire() }
        #expect(found.values == [false])
        let head = TransportResponse(
            url: try #require(URL(string: "http://127.0.0.1/a")), status: 200, headers: [("ETag", "\"1\"")],
            expectedBytes: 700_000)
        var file: (any PartialFile)? = folder.makeFile(for: "a", try #require(PartialResponse(head)))
        weak let kept = file
        file?.append(Data(count: 100_000), at: 0)
        file?.keep()
        file = nil
        #expect(kept == nil)
        hang.open()
    }

    @Test func `a partial folder removes the oldest files for bytes that have arrived`() async throws {
        for key in ["a", "b"] {
            var keeper = try keeper(key, total: 700_000)
            keeper.append(Data(repeating: 1, count: 300_000))
            keeper.end(keeps: true)
            folder.queue.sync {}
            let old = [FileAttributeKey.modificationDate: Date() - (key == "a" ? 100 : 50)]
            let path = parent.file(PartialFolder.name(of: key)).path
            try FileManager.default.setAttributes(old, ofItemAtPath: path)
        }
        var long = try keeper("c", total: 900_000)
        for _ in 0..<6 { long.append(Data(repeating: 1, count: 100_000)) }
        long.end(keeps: true)
        #expect(await take("a") == nil)
        #expect(await take("b")?.body.count == 300_000)
        #expect(await take("c")?.body.count == 600_000)
    }
}
