import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The handler's decision` {
    let transport = CurlTransport()

    @Test(arguments: ["", "bird", String(repeating: "x", count: 2_000_000)])
    func `may come later, and the body waits for it`(body: String) async throws {
        let server = try LoopbackServer { $0.respond("200 OK", body) }
        let decisions = Arrivals<Recorder.Decision>()
        let recorder = Recorder { decisions.add($1) }
        transport.start(TransportRequest(url: server.url), handler: recorder)
        let decide = await decisions.next()
        // Another transfer from start to end shows that the loop goes on meanwhile.
        #expect(try await transport.load(server.url).get().text == body)
        #expect(recorder.events == ["response 200"])
        decide(true)
        decide(false)
        #expect(try await recorder.result.text == body)
        #expect(recorder.received.count == body.utf8.count)
    }

    @Test(arguments: ["", "bird", String(repeating: "x", count: 2_000_000)], [true, false])
    func `may be no`(body: String, isImmediate: Bool) async throws {
        let server = try LoopbackServer { $0.respond("200 OK", body) }
        let decisions = Arrivals<Recorder.Decision>()
        let recorder = Recorder { if isImmediate { $1(false) } else { decisions.add($1) } }
        transport.start(TransportRequest(url: server.url), handler: recorder)
        if !isImmediate { await decisions.next()(false) }
        #expect(await recorder.error == .rejected(url: server.url))
        #expect(recorder.events == ["response 200", "finish"])
    }

    @Test func `may come from any thread while bytes arrive`() async throws {
        let server = try LoopbackServer { $0.respond("200 OK", String(repeating: "x", count: 100_000)) }
        let recorders = (0..<200).map { _ in
            Recorder { _, decide in DispatchQueue.global().async { decide(true) } }
        }
        for recorder in recorders { transport.start(TransportRequest(url: server.url), handler: recorder) }
        for recorder in recorders { #expect(try await recorder.result.body.count == 100_000) }
    }

    @Test func `does not matter after the end`() async throws {
        let server = try LoopbackServer { $0.respond("200 OK", "bird") }
        let decisions = Arrivals<Recorder.Decision>()
        let recorder = Recorder { decisions.add($1) }
        let task = transport.start(TransportRequest(url: server.url), handler: recorder)
        let decide = await decisions.next()
        task.cancel()
        #expect(await recorder.error == .cancelled)
        decide(true)
        #expect(try await transport.load(server.url).get().text == "bird")
        #expect(recorder.finishCount == 1)
    }
}
