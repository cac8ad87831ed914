import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Loads of one cache key with other signatures` {
    let loading: Loading
    let gate = Gate()
    let observer = EventRecorder()
    let done = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    /// Serves replies of these statuses, one after the other, with any query.
    private func serve(_ path: String = "/a", _ statuses: Int...) throws {
        let replies = try statuses.map {
            Reply(status: $0, body: try Sample.png(3, 2), contentType: "image/png").hold(.head, until: gate)
        }
        if replies.count == 2 {
            server.serve(path, replies[0], replies[1])
        } else {
            server.serve(path, replies[0])
        }
    }

    @discardableResult
    private func load(_ signature: String, key: String = "a", path: String = "/a") -> DownloadTask? {
        let resource = KF.ImageResource(downloadURL: server.url("\(path)?\(signature)"), cacheKey: key)
        return loading.manager.retrieveImage(with: resource, options: [.observers([observer])]) {
            done.append($0)
        }
    }

    /// Waits until so many loads share the transfer of another.
    private func waitForCoalesced(_ count: Int) async {
        _ = await observer.events.wait { $0.count { $0.stage.name == "coalesced" } >= count }
    }

    @Test func `loads of one cache key with other signatures share one request`() async throws {
        try serve("/a", 200)
        load("one")
        await gate.waitForArrivals(1)
        for signature in ["two", "three", "one"] { load(signature) }
        await waitForCoalesced(3)
        gate.open()
        let results = await done.waitFor(count: 4)
        #expect(results.allSatisfy { (try? $0.get())?.image.size.width == 3 })
        #expect(server.requestCount() == 1)
    }

    @Test func `loads with a modifier's query or with other caches share no request`() async throws {
        try serve("/a", 200)
        let url = server.url("/a")
        for token in ["one", "two"] {
            let modifier = AnyModifier { request in
                var request = request
                request.url = URL(string: "\(url.absoluteString)?token=\(token)")
                return request
            }
            loading.manager.retrieveImage(with: url, options: [.requestModifier(modifier)]) {
                done.append($0)
            }
        }
        await gate.waitForArrivals(2)
        for user in ["three", "four"] {
            let resource = KF.ImageResource(downloadURL: server.url("/a?\(user)"), cacheKey: "a")
            let cache = try ImageCache.patient(in: loading.folder.url.appending(path: user))
            loading.manager.retrieveImage(with: resource, options: [.targetCache(cache)]) { done.append($0) }
        }
        await gate.waitForArrivals(4)
        gate.open()
        #expect(await done.waitFor(count: 4).allSatisfy { $0.error == nil })
        #expect(server.requestCount() == 4)
    }

    @Test func `a load sends a request of its own if the one that it shares fails`() async throws {
        try serve("/a", 403, 200)
        load("old")
        await gate.waitForArrivals(1)
        load("new")
        await waitForCoalesced(1)
        gate.open()
        let results = await done.waitFor(count: 2)
        #expect(results.count { $0.error?.isInvalidResponseStatusCode(403) == true } == 1)
        #expect(results.count { $0.error == nil } == 1)
        #expect(server.requestCount() == 2)
    }

    @Test func `loads that share a request are cancelled one by one`() async throws {
        try serve("/a", 200)
        let first = load("one")
        await gate.waitForArrivals(1)
        load("two")
        await waitForCoalesced(1)
        first?.cancel()
        gate.open()
        let results = await done.waitFor(count: 2)
        #expect(results.count { $0.error?.isTaskCancelled == true } == 1)
        #expect(results.count { $0.error == nil } == 1)
        #expect(server.requestCount() == 1)
    }

    @Test func `loads with another path or another cache key share no request`() async throws {
        try serve("/a", 200)
        try serve("/b", 200)
        load("one")
        load("one", path: "/b")
        load("one", key: "b")
        await gate.waitForArrivals(3)
        gate.open()
        #expect(await done.waitFor(count: 3).allSatisfy { $0.error == nil })
    }
}
