import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `A gate` {
    private let origin: ImageOrigin
    private let entries = Monitor(0)

    init() throws {
        origin = try ImageOrigin()
        origin.server.serve("/s", try Bitmap.coordinates(40, 30).encoded(as: .png))
    }

    private func responder(_ gate: @escaping WorkGate) -> ImageResponder {
        ImageResponder(
            rules: origin.rules, sources: origin.sources, answers: origin.answers, engine: origin.engine,
            gate: gate)
    }

    @Test(.timeLimit(.minutes(10))) func `is passed by work only, once for all that share it`()
        async throws
    {
        let responder = responder { [entries] _, _, work in
            entries.update { $0 += 1 }
            var answer = await work()
            answer.spans[.queue] = .milliseconds(7)
            return answer
        }
        let hold = Gate()
        let png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        origin.server.serve("/held", Reply(body: png).hold(.head, until: hold))
        let request = ServedRequest.patient(origin.target("w:20", "/held"))
        async let first = responder.answer(request)
        async let second = responder.answer(request)
        while origin.engine.work.waiterCount < 2, !Task.isCancelled { await Task.yield() }
        hold.open()
        let answers = await [first, second]
        #expect(answers.allSatisfy { $0.status == 200 && $0.spans[.queue] == .milliseconds(7) })
        #expect(await responder.answer(request).tier == .memory)
        #expect(
            await responder.answer(ServedRequest.patient("/unsafe/x:1/plain/http://a/b")).status == 404)
        #expect(entries.read { $0 } == 1)
    }

    @Test(.timeLimit(.minutes(10))) func `is passed again for those who have more time than the first`()
        async throws
    {
        let (hold, png) = (Gate(), try Bitmap.coordinates(40, 30).encoded(as: .png))
        origin.server.serve("/held", Reply(body: png).hold(.head, until: hold))
        let (responder, target) = (origin.responder, origin.target("w:20", "/held"))
        let (firstEnded, secondEnded) = (Counter(), Counter())
        let first = Task {
            defer { firstEnded.increment() }
            return await responder.answer(ServedRequest(target: target, deadline: .now + .seconds(10)))
        }
        while origin.server.requestCount() < 1 || origin.engine.work.waiterCount < 1,
            firstEnded.value == 0, !Task.isCancelled
        {
            await Task.yield()
        }
        let earlier = origin.server.requestCount()
        let second = Task {
            defer { secondEnded.increment() }
            return await responder.answer(.patient(target))
        }
        #expect(await first.value.status == 503)
        while origin.server.requestCount() == earlier, secondEnded.value == 0, !Task.isCancelled {
            await Task.yield()
        }
        hold.open()
        #expect(await second.value.status == 200)
    }

    @Test func `may refuse`() async throws {
        let responder = responder { _, _, _ in ServedAnswer(status: 429, errorKind: .queue) }
        for options in ["w:20", "raw:1"] {
            let answer = await responder.answer(ServedRequest.patient(origin.target(options, "/s")))
            #expect(answer.status == 429 && answer.errorKind == .queue)
        }
        #expect(origin.server.requestCount() == 0)
    }
}
