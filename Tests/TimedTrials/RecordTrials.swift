import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// What the records of responses cost that ``HTTPFreshness/respected`` keeps (docs/decisions/0025).
@Suite(.serialized, .timeLimit(.minutes(10))) struct `A cache with records of responses` {
    private static let count = 1_000

    @Test func `a cache with records of responses takes more files, bytes and time`() async throws {
        for round in 1...3 {
            for freshness in [HTTPFreshness.ignored, .respected] {
                print("round \(round), \(freshness): \(try await load(freshness))")
            }
        }
    }

    private func load(_ freshness: HTTPFreshness) async throws -> String {
        let (server, folder) = (try LoopbackServer(), try TemporaryDirectory())
        let body = try Data(Fixture.data("jpeg/testorig.jpg"))
        let headers = [
            ("Cache-Control", "public, max-age=31536000"), ("ETag", "\"5f1c-60a1b2c3d4e5f\""),
            ("Last-Modified", "Tue, 01 Jul 2025 10:00:00 GMT"), ("Server", "nginx"),
            ("Vary", "Accept-Encoding"),
        ]
        for number in 0..<Self.count {
            server.serve(
                "/\(number)", Reply(body: [UInt8](body), contentType: "image/jpeg", headers: headers))
        }
        let cache = try ImageCache(name: "trial", cacheDirectoryURL: folder.file("cache"))
        cache.httpFreshness = freshness
        let manager = KingfisherManager(downloader: ImageDownloader(name: "trial"), cache: cache)
        let start = (Date(), Self.processorTime)
        for number in 0..<Self.count {
            _ = try await manager.retrieveImage(
                with: server.url("/\(number)"), options: [.callbackQueue(.untouch)])
        }
        try await cache.flush(within: .seconds(300))
        let (time, processor) = (Date().timeIntervalSince(start.0), Self.processorTime - start.1)
        let (files, bytes, blocks) = try Self.sizes(below: folder.url)
        return "\(files) files, \(bytes / Self.count) bytes and \(blocks / Self.count) on disk an image, "
            + String(
                format: "%.0f µs, %.0f µs of processor time", time * 1e6 / Double(Self.count),
                processor * 1e6 / Double(Self.count))
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func sizes(below folder: URL) throws -> (files: Int, bytes: Int, blocks: Int) {
        var (files, bytes, blocks) = (0, 0, 0)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            var status = stat()
            guard stat(folder.appending(path: path).path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else { continue }
            files += 1
            bytes += Int(status.st_size)
            blocks += Int(status.st_blocks) * 512
        }
        return (files, bytes, blocks)
    }
}
