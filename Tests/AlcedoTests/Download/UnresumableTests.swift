import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A download that can't be resumed` {
    let resuming: Resuming

    init() throws { resuming = try Resuming() }

    /// Breaks off after 200,000 bytes, and returns the `Range` of the next request.
    private func range(
        _ headers: [(String, String)], _ options: KingfisherOptionsInfo = [],
        second: KingfisherOptionsInfo? = nil
    ) async -> String? {
        resuming.serve(cut: 200_000, headers)
        #expect(await resuming.load(nil, options) == nil)
        #expect(await resuming.load(nil, second ?? options) == resuming.image)
        #expect(resuming.server.requestCount() == 2)
        return resuming.ranges.last ?? nil
    }

    private func adding(_ name: String, _ value: String) -> KingfisherOptionsInfo {
        [
            .requestModifier(
                AnyModifier { request in
                    var request = request
                    request.setValue(value, forHTTPHeaderField: name)
                    return request
                })
        ]
    }

    private static let day = "Tue, 14 Nov 2023 22:13:20 GMT"

    @Test(arguments: [
        [("ETag", "W/\"1\"")], [("ETag", "1")], [("ETag", "\"1\""), ("ETag", "\"2\"")], [],
        [("ETag", "W/\"1\""), ("Last-Modified", day), ("Date", "Wed, 15 Nov 2023 22:13:20 GMT")],
        [("Last-Modified", day), ("Date", "Tue, 14 Nov 2023 22:14:19 GMT")], [("Last-Modified", day)],
        [("ETag", "\"1\""), ("Accept-Ranges", "none")], [("ETag", "\"1\""), ("Cache-Control", "no-store")],
        [("ETag", "\"1\""), ("Vary", "*")],
        [("ETag", "\"1\""), ("X", String(repeating: "x", count: 17_000))],
    ])
    func `a download that can't be resumed because of its head is loaded anew`(headers: [(String, String)])
        async
    {
        #expect(await range(headers) == nil)
        #expect(resuming.files() == [])
    }

    @Test func `a download without a tag is resumed by a date that was old enough`() async {
        let headers = [("Last-Modified", Self.day), ("Date", "Tue, 14 Nov 2023 22:14:20 GMT")]
        #expect(await range(headers) == "bytes=200000-")
        #expect(resuming.server.requests().last?.header("If-Range") == Self.day)
        #expect(resuming.server.requests().last?.header("Accept-Encoding") == "identity")
    }

    @Test func `a download that broke off with a credential is loaded anew`() async {
        #expect(await range([("ETag", "\"1\"")], adding("Authorization", "Bearer x")) == nil)
    }

    @Test func `a download that broke off with another key in its header is loaded anew`() async {
        let other = adding("X-Key", "b")
        #expect(await range([("ETag", "\"1\"")], adding("X-Key", "a"), second: other) == nil)
    }

    @Test func `a request with a range or condition of its own is sent as it is`() async {
        for (name, value) in [("Range", "bytes=0-"), ("If-None-Match", "\"0\"")] {
            resuming.server.serve("/a", resuming.whole().cut(after: 200_000))
            #expect(await resuming.load(nil, adding(name, value)) == nil)
            #expect(await resuming.load(nil, adding(name, value)) == nil)
            #expect(resuming.server.requests().last?.header(name) == value)
            #expect(resuming.server.requests().last?.header("If-Range") == nil)
        }
        #expect(resuming.files() == [])
    }

    @Test func `a download that broke off with cookies is loaded anew`() async throws {
        resuming.serve(cut: 200_000)
        for _ in 0..<2 {
            let downloader = resuming.downloader()
            let cookie = JarCookie(name: "user", value: "1", domain: "127.0.0.1")
            #expect(downloader.session.jar?.store(cookie) == true)
            _ = try? await downloader.downloadImage(with: resuming.url)
        }
        #expect(resuming.server.requests().map { $0.header("Cookie") } == ["user=1", "user=1"])
        #expect(resuming.ranges == [nil, nil])
    }

    @Test func `a download that broke off is loaded anew by default`() async {
        #expect(ImageDownloader(name: "plain").resumableDownloads == nil)
        resuming.serve(cut: 200_000)
        for _ in 0..<2 {
            let downloader = resuming.downloader()
            downloader.resumableDownloads = nil
            _ = try? await downloader.downloadImage(with: resuming.url)
        }
        #expect(resuming.ranges == [nil, nil])
    }

    // MARK: - Limits and faults of the disk

    @Test func `a download that exceeds the limit of partial bytes is loaded anew`() async throws {
        let resuming = try Resuming(byteLimit: 200_000)
        resuming.serve(cut: 150_000)
        for _ in 0..<2 { _ = await resuming.load() }
        #expect(resuming.ranges == [nil, nil])
        #expect(resuming.files() == [])
    }

    @Test func `partial bodies evict older ones`() async throws {
        let resuming = try Resuming(byteLimit: 700_000)
        let first = resuming.whole().cut(after: 250_000)
        for name in ["/1", "/2", "/3"] {
            resuming.server.serve(name, first)
            _ = try? await resuming.downloader().downloadImage(with: resuming.server.url(name))
            #expect(resuming.files().count <= 2)
        }
        #expect(resuming.files().count == 2)
        await resuming.downloads.removeAll()
        #expect(resuming.files() == [])
    }

    @Test func `a partial body that is too old is removed, and the image loaded anew`() async throws {
        let later = Date() + 10_000
        resuming.serve(cut: 200_000)
        #expect(await resuming.load() == nil)
        #expect(resuming.files().count == 1)
        let path = resuming.folder.file("partial").path
        let old = PartialFolder(path: path, byteLimit: 1 << 24, expiration: 1_000, now: { later })
        old.queue.sync {}
        #expect(resuming.files() == [])
        #expect(await resuming.load() == resuming.image)
        #expect(resuming.ranges == [nil, nil])
    }

    @Test func `a download that broke off is loaded anew if the disk fails`() async throws {
        try Data().write(to: resuming.folder.file("partial"))
        resuming.serve(cut: 200_000)
        #expect(await resuming.load() == nil)
        #expect(await resuming.load() == resuming.image)
        #expect(resuming.ranges == [nil, nil])
    }

    @Test func `a download does not wait for partial bodies on a disk that hangs`() async throws {
        let expired = Recorder<@Sendable () -> Void>()
        let folder = PartialFolder(
            path: resuming.folder.file("hangs").path, byteLimit: 1 << 24, expiration: 1_000,
            timeout: { _, block in
                expired.append(block)
                return {}
            })
        let gate = Gate()
        folder.queue.async { gate.wait() }
        resuming.server.serve("/a", resuming.whole())
        async let loaded = resuming.load(ResumableDownloads(folder))
        await expired.waitFor(count: 1).first?()
        #expect(await loaded == resuming.image)
        // Until the disk responds, others do not wait for it.
        #expect(await resuming.load(ResumableDownloads(folder)) == resuming.image)
        #expect(expired.count == 1)
        gate.open()
    }

    @Test func `a download whose partial file another transfer has is loaded anew`() async throws {
        resuming.serve(cut: 200_000)
        #expect(await resuming.load() == nil)
        let names = resuming.files()
        let path = resuming.folder.file("partial/" + (try #require(names.first))).path
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(await resuming.load() == resuming.image)
        #expect(resuming.ranges == [nil, nil])
        // Before the lock is gone: the transfer's file is made later than its pixels, and then it could be made after all.
        #expect(resuming.files() == names)
        close(descriptor)
    }
}
