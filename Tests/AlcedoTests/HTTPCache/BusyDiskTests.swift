import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A folder of responses without room` {
    @Test
    func `a full folder of responses holds nobody up, and stores again once there is room`() async throws {
        let caching = try Caching(memoryCapacity: 0, diskCapacity: 100 << 10)
        let headers = [("Cache-Control", "max-age=3600"), ("X", String(repeating: "x", count: 8000))]
        let image = Reply(body: try Sample.png(4, 4), headers: headers)
        for index in 0..<20 { caching.server.serve("/\(index)", image) }
        let downloader = caching.downloader()
        #expect(await caching.width("/0", by: downloader) == 4)
        caching.cache.responses.waitForDisk()
        // Another process writes a file that takes all the room.
        let staging = caching.folder.file(".alcedo-1-1-200000").path
        let descriptor = open(staging, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_EX) == 0 && ftruncate(descriptor, 1) == 0)
        for index in 0..<20 { #expect(await caching.width("/\(index)", by: downloader) == 4) }
        caching.cache.responses.waitForDisk()
        #expect(caching.server.requestCount() == 20)
        #expect(await caching.width("/19", by: downloader) == 4)
        #expect(caching.server.requestCount() == 21)
        flock(descriptor, LOCK_UN)
        close(descriptor)
        var (count, before) = (21, 0)
        while count != before, !Task.isCancelled {
            #expect(await caching.width("/19", by: downloader) == 4)
            caching.cache.responses.waitForDisk()
            (count, before) = (caching.server.requestCount(), count)
        }
    }
}
