import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `The context of a retry` {
    /// A strategy may decide on any thread, at any time, while the load goes on.
    @Test func `the context of a retry can be read while the load changes it`() async {
        @Sendable func error(_ number: Int) -> KingfisherError {
            .requestError(reason: .invalidURL(request: URLRequest(url: URL(fileURLWithPath: "/\(number)"))))
        }
        let source = Source.network(URL(fileURLWithPath: "/a"))
        let context = RetryContext(source: source, error: error(0))
        let wrong = CallCounter()
        await onThreads(2) { thread in
            for number in 0..<5000 {
                if thread == 0 {
                    context.retriedCount = number
                    context.latestError = error(number)
                    context.userInfo = number
                    context.wait = Cancellation()
                } else {
                    let isRight =
                        (0..<5000).contains(context.retriedCount)
                        && (0..<5000).contains(context.userInfo as? Int ?? 0)
                        && context.latestError.errorCode == context.error.errorCode
                        && !context.wait.isCancelled
                    if !isRight { wrong.increment() }
                }
            }
        }
        #expect(wrong.value == 0)
    }
}
