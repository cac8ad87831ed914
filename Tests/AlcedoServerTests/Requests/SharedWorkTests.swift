import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Work for images` {
    private let origin: ImageOrigin
    private let admission: Admission

    init() throws {
        let admission = Admission(places: 1, queueSize: 1)
        self.admission = admission
        origin = try ImageOrigin { $0.engine = ServerEngine(admission: admission) }
        origin.server.serve("/s", try Bitmap.coordinates(40, 30).encoded(as: .png))
    }

    @Test(.timeLimit(.minutes(10)))
    func `work for images has one permit for all requests that share it, and a cache hit needs none`()
        async throws
    {
        let (handler, others) = (origin.handler, Callers(admission))
        #expect(await others.enter() == nil)
        let request = HTTPRequest.get(origin.target("w:20", "/s"))
        async let first = handler.patientResponse(to: request)
        async let second = handler.patientResponse(to: request)
        while origin.engine.work.waiterCount < 2 || admission.waiting < 1, !Task.isCancelled {
            await Task.yield()
        }
        #expect(admission.waiting == 1 && origin.server.requestCount() == 0)
        others.leaveAll()
        let responses = await [first, second]
        #expect(responses.allSatisfy { $0.status == 200 && $0.tier == .source })
        let waited = try #require(responses[0].spans[.queue])
        #expect(waited > .zero && responses[1].spans[.queue] == waited)
        #expect(admission.running == 0)
        #expect(await others.enter() == nil)
        #expect(await handler.patientResponse(to: request).tier == .memory)
        #expect(await handler.patientResponse(to: .get("/unsafe/x:1/plain/http://a/b")).status == 404)
    }

    @Test(.timeLimit(.minutes(10)))
    func `work for images starts again for those who have more time than the first`()
        async throws
    {
        let (hold, png) = (Gate(), try Bitmap.coordinates(40, 30).encoded(as: .png))
        origin.server.serve("/held", Reply(body: png).hold(.head, until: hold))
        let (handler, target) = (origin.handler, origin.target("w:20", "/held"))
        let (firstEnded, secondEnded) = (CallCounter(), CallCounter())
        let first = Task {
            defer { firstEnded.increment() }
            return await handler.response(to: .get(target), until: .now + .seconds(10))
        }
        while origin.server.requestCount() < 1 || origin.engine.work.waiterCount < 1,
            firstEnded.value == 0, !Task.isCancelled
        {
            await Task.yield()
        }
        let earlier = origin.server.requestCount()
        let second = Task {
            defer { secondEnded.increment() }
            return await handler.patientResponse(to: .get(target))
        }
        #expect(await first.value.status == 503)
        while origin.server.requestCount() == earlier, secondEnded.value == 0, !Task.isCancelled {
            await Task.yield()
        }
        hold.open()
        #expect(await second.value.status == 200)
    }

    @Test func `work for images is rejected without a request to the origin when the queue is full`()
        async throws
    {
        let others = Callers(admission)
        #expect(await others.enter() == nil)
        let waiting = Task { await others.enter() }
        while admission.waiting < 1, !Task.isCancelled { await Task.yield() }
        for options in ["w:20", "raw:1"] {
            let response = await origin.get(options, "/s")
            #expect(response.status == 429 && response.errorKind == .queue && response.spans.isEmpty)
        }
        #expect(origin.server.requestCount() == 0)
        others.leaveAll()
        #expect(await waiting.value == nil)
    }

    @Test(arguments: [
        (Admission.Rejection.queueFull, 429, "Too many requests", "1" as String?, ErrorKind.queue),
        (.timedOut, 503, "Timeout", "1", .timeout), (.cancelled, 499, "Cancelled", nil, .timeout),
    ])
    func `work for images without a permit has a response of its own`(
        rejection: Admission.Rejection, status: Int, text: String, retry: String?, kind: ErrorKind
    ) {
        let response = origin.handler.response(for: RequestFailure(rejection))
        #expect(response.status == status && response.text == text && response.errorKind == kind)
        #expect(response.header("Retry-After") == retry)
        #expect(response.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.header("Content-Security-Policy") == nil)
    }
}
