import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `An interceptor that misbehaves` {
    private let loading: Loading
    private let outcome = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    private var url: URL { loading.server.url("/a") }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Sample.png(40, 20))
    }

    private func start(_ interceptor: Interceptor, isOfNetwork: Bool) -> DownloadTask? {
        let option: KingfisherOptionsInfoItem =
            isOfNetwork ? .networkInterceptors([interceptor]) : .interceptors([interceptor])
        return loading.manager.retrieveImage(with: url, options: [option, .callbackQueue(.untouch)]) {
            [outcome] in outcome.append($0)
        }
    }

    @Test(arguments: [false, true])
    func `an interceptor that calls next after it has returned completes nothing twice`(isOfNetwork: Bool)
        async throws
    {
        let later = Recorder<@Sendable () async throws -> RetrieveImageResult>()
        let own = RetrieveImageResult(
            image: try #require(Image(data: Data(Sample.png(3, 3)))), cacheType: .none,
            source: .network(url), originalSource: .network(url), data: { nil })
        let interceptor = Interceptor { request, next in
            later.append { try await next(request) }
            return own
        }
        _ = start(interceptor, isOfNetwork: isOfNetwork)
        #expect(try await outcome.waitFor(count: 1)[0].get().image.size.width == 3)
        let again = try await later.waitFor(count: 1)[0]()
        #expect(again.image.size.width == 40)
        #expect(outcome.count == 1)
    }

    @Test(arguments: [false, true])
    func `an interceptor that calls next twice at a time completes once`(isOfNetwork: Bool) async throws {
        let interceptor = Interceptor { request, next in
            async let first = next(request)
            async let second = next(request)
            return try await [first, second][1]
        }
        _ = start(interceptor, isOfNetwork: isOfNetwork)
        #expect(try await outcome.waitFor(count: 1)[0].get().image.size.width == 40)
        #expect(outcome.count == 1)
    }

    @Test(arguments: [false, true])
    func `an interceptor that calls next after a cancellation gets an error, and no request`(
        isOfNetwork: Bool
    ) async throws {
        let (gate, errors) = (Gate(), Recorder<any Error>())
        let interceptor = Interceptor { request, next in
            // Not the cancellation of this task ends the wait.
            await Task.detached { await gate.pass() }.value
            do { return try await next(request) } catch {
                errors.append(error)
                throw error
            }
        }
        let task = start(interceptor, isOfNetwork: isOfNetwork)
        await gate.waitForArrivals(1)
        task?.cancel()
        #expect(await outcome.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        gate.open()
        #expect(await errors.waitFor(count: 1)[0] is CancellationError)
        #expect(outcome.count == 1 && loading.server.requestCount() == 0)
    }

    @Test(arguments: [false, true])
    func `an interceptor that hangs in two calls of next ends both with its load`(isOfNetwork: Bool)
        async throws
    {
        let (gate, ended) = (Gate(), CallCounter())
        loading.server.route("/a") { _ in Reply(body: [1, 2, 3]).hold(.head, until: gate) }
        let interceptor = Interceptor { request, next in
            defer { ended.increment() }
            async let first = next(request)
            async let second = next(request)
            return try await [first, second][0]
        }
        let task = start(interceptor, isOfNetwork: isOfNetwork)
        await gate.waitForArrivals(1)
        task?.cancel()
        #expect(await outcome.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        await ended.waitFor(1)
        #expect(outcome.count == 1)
        gate.open()
    }
}
