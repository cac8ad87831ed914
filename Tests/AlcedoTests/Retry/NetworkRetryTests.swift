import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A network retry strategy` {
    let loading: Loading
    let network = Network()
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    private func load(_ path: String, told: Recorder<KingfisherError?>, seconds: TimeInterval? = nil)
        -> DownloadTask?
    {
        let strategy = NetworkRetryStrategy(timeoutInterval: seconds, monitor: network)
        return loading.manager.retrieveImage(
            with: server.url(path), options: [.retryStrategy(strategy)]
        ) { told.append($0.error) }
    }

    @Test func `a network retry strategy waits for a network and then tries again`() async throws {
        network.isConnected = false
        server.serve("/a", Reply.nothing(), Reply(body: try Sample.png(2, 2)))
        let told = Recorder<KingfisherError?>()
        _ = load("/a", told: told)
        let wait = await network.waits.waitFor(count: 1)[0]
        #expect(told.count == 0)
        wait.end(isConnected: true)
        #expect(await told.waitFor(count: 1).allSatisfy { $0 == nil })
        #expect(server.requestCount() == 2)
    }

    @Test func `a network retry strategy gives up when no network comes`() async throws {
        network.isConnected = false
        server.serve("/a", Reply.nothing())
        let told = Recorder<KingfisherError?>()
        _ = load("/a", told: told, seconds: 30)
        let wait = await network.waits.waitFor(count: 1)[0]
        #expect(network.limits.values == [30])
        wait.end(isConnected: false)
        #expect(await told.waitFor(count: 1).first??.errorCode == 2003)
    }

    @Test
    func `a network retry strategy retries at once with a network, then only after a change`() async throws {
        server.serve("/a", Reply.nothing(), Reply.nothing(), Reply(body: try Sample.png(2, 2)))
        let told = Recorder<KingfisherError?>()
        _ = load("/a", told: told)
        let wait = await network.waits.waitFor(count: 1)[0]
        #expect(server.requestCount() == 2)
        wait.end(isConnected: true)
        #expect(await told.waitFor(count: 1).allSatisfy { $0 == nil })
    }

    @Test func `a network retry strategy lets go of a wait that is over`() async throws {
        network.isConnected = false
        server.serve("/a", Reply.nothing(), Reply.nothing(), Reply.nothing())
        let told = Recorder<KingfisherError?>()
        _ = load("/a", told: told)
        let first = await network.waits.waitFor(count: 1)[0]
        first.end(isConnected: true)
        let second = await network.waits.waitFor(count: 2)[1]
        first.end(isConnected: true)
        #expect(told.count == 0)
        second.end(isConnected: false)
        #expect(await told.waitFor(count: 1).count == 1)
    }

    @Test func `a network retry strategy does not try again what the server has rejected`() async throws {
        server.serve("/a", Reply.status(404))
        let told = Recorder<KingfisherError?>()
        _ = load("/a", told: told)
        #expect(await told.waitFor(count: 1).first??.isInvalidResponseStatusCode(404) == true)
        #expect(server.requestCount() == 1)
    }

    @Test
    func `a network retry strategy ends at once when the load is cancelled while it waits`() async throws {
        network.isConnected = false
        server.serve("/a", Reply.nothing())
        let told = Recorder<KingfisherError?>()
        let task = load("/a", told: told)
        let wait = await network.waits.waitFor(count: 1)[0]
        task?.cancel()
        #expect(await told.waitFor(count: 1).first??.isTaskCancelled == true)
        wait.end(isConnected: true)
        #expect(server.requestCount() == 1)
    }

    /// A network that tests switch on and off.
    final class Network: NetworkMonitoring {
        let waits = Recorder<NetworkWait>()
        let limits = Recorder<TimeInterval?>()
        private let state = Lock(true)

        var isConnected: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        func waitForConnection(
            wasConnected: Bool,
            atMost seconds: TimeInterval?,
            then: @escaping NetworkWait.Handler
        ) -> NetworkWait {
            limits.append(seconds)
            let wait = NetworkWait(then)
            waits.append(wait)
            return wait
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The network monitor` {
    @Test func `the network monitor ends a wait after the time that it was given`() async {
        let told = Recorder<Bool>()
        // Nothing changes meanwhile, or it does and there is a network: a wait that began with one ends with either.
        NetworkMonitor.shared.waitForConnection(wasConnected: true, atMost: 0.01) { _, isConnected in
            told.append(isConnected)
        }
        #expect(await told.waitFor(count: 1).count == 1)
    }

    @Test(.enabled(if: NetworkMonitor.shared.isConnected, "this machine has no network"))
    func `the network monitor sees at once a network that came before it listened`() async {
        let told = Recorder<Bool>()
        NetworkMonitor.shared.waitForConnection(wasConnected: false, atMost: nil) { _, isConnected in
            told.append(isConnected)
        }
        #expect(await told.waitFor(count: 1) == [true])
    }

    @Test func `a wait for the network that was cancelled does not call its handler`() {
        let wait = NetworkWait { _, _ in Issue.record("it was cancelled") }
        wait.cancel()
        wait.end(isConnected: true)
        #expect(wait.isFinished)
    }
}
