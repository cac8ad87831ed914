import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A load that is cancelled while it waits to be tried again` {
    let loading: Loading
    let released = CallCounter()

    init() throws { loading = try Loading() }

    /// Counts the decisions that have been asked for, or wait.
    private struct Counted: RetryStrategy {
        let base: any RetryStrategy
        let asked = CallCounter()

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            base.retry(context: context, retryHandler: retryHandler)
            asked.increment()
        }
    }

    /// Never decides, and keeps what it was given.
    private struct Keeping: RetryStrategy {
        let kept = Recorder<@Sendable (RetryDecision) -> Void>()

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            kept.append(retryHandler)
        }
    }

    private func load(_ strategy: any RetryStrategy) -> DownloadTask? {
        let token = ReleaseToken(released)
        return loading.manager.retrieveImage(
            with: loading.server.url("/a"), options: [.retryStrategy(strategy)]
        ) { _ in _ = token }
    }

    @Test func `a load that is cancelled in the pause before a retry leaves nothing behind`() async throws {
        loading.server.serve("/a", Reply.status(503))
        let strategy = Counted(
            base: DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(3600)))
        let task = load(strategy)
        await strategy.asked.waitFor(1)
        #expect(released.value == 0)
        task?.cancel()
        await released.waitFor(1)
        #expect(released.value == 1)
    }

    @Test(arguments: [nil, 3600] as [TimeInterval?])
    func `a load that is cancelled while it waits for the network leaves nothing behind`(
        seconds: TimeInterval?
    ) async throws {
        loading.server.serve("/a", Reply.nothing())
        let strategy = Counted(base: NetworkRetryStrategy(timeoutInterval: seconds))
        let task = load(strategy)
        // With a network the first retry is at once.
        await strategy.asked.waitFor(NetworkMonitor.shared.isConnected ? 2 : 1)
        task?.cancel()
        await released.waitFor(1)
        #expect(released.value == 1)
    }

    @Test func `a wait for the network that is cancelled is forgotten at once`() async {
        let monitor = NetworkMonitor()
        let token = ReleaseToken(released)
        let wait = monitor.waitForConnection(wasConnected: true, atMost: 3600) { [token] _, _ in _ = token }
        // A change of the machine's network ends it, too.
        while monitor.waitCount == 0, !wait.isFinished, !Task.isCancelled { await Task.yield() }
        wait.cancel()
        #expect(monitor.waitCount == 0)
    }

    @Test
    func `a load cancelled while a program's retry strategy decides leaves nothing behind`() async throws {
        loading.server.serve("/a", Reply.status(503))
        let strategy = Keeping()
        let task = load(strategy)
        let answers = await strategy.kept.waitFor(count: 1)
        task?.cancel()
        await released.waitFor(1)
        #expect(released.value == 1)
        answers[0](.retry(userInfo: nil))
        #expect(loading.server.requestCount() == 1)
    }
}
