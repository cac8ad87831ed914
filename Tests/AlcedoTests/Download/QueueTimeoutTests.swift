import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A load that waits too long in a queue` {
    let loading: Loading
    let gate = Gate()
    var downloader: ImageDownloader { loading.downloader }

    init() throws {
        loading = try Loading()
        loading.server.serve("/held", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        loading.server.serve("/a", try Sample.png(2, 2))
    }

    private func reason(of error: KingfisherError?) -> String? {
        guard case .responseError(reason: .URLSessionError(let cause)) = error,
            case .queueTimedOut(let reason, _, _)? = cause.transportError
        else { return "\(String(describing: error))" }
        return reason
    }

    /// Occupies the only place, and returns what another load then fails with.
    private func reasonWhileOccupied() async -> String? {
        async let first = kingfisherError {
            try await downloader.downloadImage(with: loading.server.url("/held"))
        }
        await loading.server.waitForRequests(1)
        downloader.queueTimeout = .seconds(0.05)
        let error = await kingfisherError {
            try await downloader.downloadImage(with: loading.server.url("/a"))
        }
        gate.open()
        #expect(await first == nil)
        #expect(loading.server.requestCount() == 1)
        return reason(of: error)
    }

    @Test func `a load that waits too long for its turn says so`() async {
        downloader.maximumActiveDownloads = 1
        #expect(await reasonWhileOccupied() == "one of 1 downloads at a time to end")
    }

    @Test func `a load that waits too long for a connection says so`() async {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        downloader.sessionConfiguration = configuration
        #expect(await reasonWhileOccupied() == "a connection to 127.0.0.1")
    }

    @Test(arguments: [1, Int.max])
    func `a load that waits too long for a queue of the program names that queue`(limit: Int) async throws {
        let body = try Sample.png(2, 2)
        let downloader = ImageDownloader(
            name: "test", transport: CurlTransport(backpressureLimit: body.count))
        downloader.maximumActiveDownloads = limit
        downloader.downloadTimeout = 120
        let queue = DispatchQueue(label: "stuck")
        queue.suspend()
        let options: KingfisherOptionsInfo = [
            .processingQueue(.dispatch(queue)), .callbackQueue(.untouch),
        ]
        let done = Recorder<KingfisherError?>()
        downloader.downloadImage(with: loading.server.url("/a"), options: options) { done.append($0.error) }
        await loading.server.waitForReplies(1)
        // Another load shows that the body is where it waits.
        _ = try await downloader.downloadImage(with: loading.server.url("/a?1"))
        downloader.queueTimeout = .seconds(0.05)
        let error = await kingfisherError {
            try await downloader.downloadImage(with: loading.server.url("/a?2"), options: options)
        }
        #expect(reason(of: error) == "the queue “stuck”")
        #expect(error?.localizedDescription.contains("stuck") == true)
        queue.resume()
        #expect(await done.waitFor(count: 1)[0] == nil)
    }

    @Test func `a load has no limit on waiting in queues by default`() async {
        #expect(downloader.queueTimeout == .zero)
        #expect(TransportTimeouts().queue == .zero)
    }
}
