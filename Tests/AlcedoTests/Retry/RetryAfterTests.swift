import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A server that says when to ask again` {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func wish(_ text: String?, status: Int = 503) throws -> RetryAfter {
        let url = try #require(URL(string: "http://a.test/"))
        let fields = text.map { ["Retry-After": $0] }
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
        return RetryAfter(.responseError(reason: .invalidHTTPStatusCode(response: response)), at: now)
    }

    @Test(
        arguments: [
            ("0", .seconds(0)), ("60", .seconds(60)), ("61", .tooLate), ("315360000", .tooLate),
            (String(repeating: "9", count: 400), .tooLate), ("-5", .tooLate), ("1.5", .tooLate),
            ("", .tooLate), ("soon", .tooLate), ("Tue, 14 Nov 2023 22:13:50 GMT", .seconds(30)),
            ("Tuesday, 14-Nov-23 22:13:50 GMT", .seconds(30)), ("Tue Nov 14 22:13:50 2023", .seconds(30)),
            ("Tue, 14 Nov 2023 21:00:00 GMT", .seconds(0)), ("Mon, 14 Nov 2033 21:00:00 GMT", .tooLate),
            (nil, .absent),
        ] as [(String?, RetryAfter)])
    func `a server may ask for a retry in seconds or at a date`(text: String?, wish: RetryAfter) throws {
        #expect(try Self.wish(text) == wish)
        #expect(try Self.wish(text, status: 429) == wish)
        #expect(try Self.wish(text, status: 500) == .absent)
    }

    // MARK: - In a load

    let loading: Loading
    var server: LoopbackServer { loading.server }
    let pauses = Recorder<TimeInterval>()

    init() throws { loading = try Loading() }

    /// Pauses that are over at once.
    private var timer: RetryTimer {
        { [pauses] seconds, block in
            pauses.append(seconds)
            block()
            return {}
        }
    }

    private func load(_ strategy: any RetryStrategy) async -> KingfisherError? {
        await kingfisherError {
            try await loading.manager.retrieveImage(
                with: server.url("/a"), options: [.retryStrategy(strategy)])
        }
    }

    private func busy(_ status: Int, _ text: String) -> Reply {
        .status(status, headers: [("Retry-After", text)])
    }

    @Test(arguments: [429, 503])
    func `a retry waits as long as the server's Retry-After says`(status: Int) async throws {
        server.serve("/a", busy(status, "7"), busy(status, "1"), Reply(body: try Sample.png(2, 2)))
        let strategy = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .accumulated(2), timer: timer)
        #expect(await load(strategy) == nil)
        #expect(pauses.values == [7, 4])
    }

    @Test(arguments: ["61", "315360000", "Mon, 14 Nov 2033 21:00:00 GMT", "soon"], [429, 503])
    func `a load fails rather than wait for a Retry-After that is too long or no time`(
        text: String, status: Int
    ) async throws {
        let strategies: [any RetryStrategy] = [
            DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0), timer: timer),
            NetworkRetryStrategy(timeoutInterval: 0, monitor: StandingNetwork(), timer: timer),
        ]
        for strategy in strategies {
            server.serve("/a", busy(status, text))
            #expect(await load(strategy)?.isInvalidResponseStatusCode(status) == true)
        }
        #expect(pauses.count == 0)
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: [429, 503])
    func `a network retry strategy waits once for a Retry-After`(status: Int) async throws {
        server.serve("/a", busy(status, "7"))
        let strategy = NetworkRetryStrategy(timeoutInterval: 0, monitor: StandingNetwork(), timer: timer)
        #expect(await load(strategy)?.isInvalidResponseStatusCode(status) == true)
        #expect(pauses.values == [7])
        #expect(server.requestCount() == 2)
    }

    @Test func `a load without a retry strategy does not follow a Retry-After`() async throws {
        server.serve("/a", busy(503, "0"))
        let error = await kingfisherError { try await loading.manager.retrieveImage(with: server.url("/a")) }
        #expect(error?.isInvalidResponseStatusCode(503) == true)
        #expect(server.requestCount() == 1)
    }

    /// A network that is there and does not change.
    private struct StandingNetwork: NetworkMonitoring {
        let isConnected = true

        func waitForConnection(
            wasConnected: Bool, atMost seconds: TimeInterval?, then: @escaping NetworkWait.Handler
        ) -> NetworkWait {
            let wait = NetworkWait(then)
            wait.end(isConnected: false)
            return wait
        }
    }
}
