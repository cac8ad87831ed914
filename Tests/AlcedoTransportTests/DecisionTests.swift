import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The handler's decision` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let decisions = Recorder<TransferRecorder.Decision>()

    init() throws { server = try LoopbackServer() }

    @Test(arguments: [0, 4, 2_000_000])
    func `the handler's decision may come later, and the body waits for it`(size: Int) async throws {
        server.serve("/", .letters(size))
        let recorder = TransferRecorder { [decisions] in decisions.append($1) }
        transport.start(.patient(server.address("/")), handler: recorder)
        let decide = try await decisions.first()
        // Another transfer from start to end shows that the loop goes on meanwhile.
        #expect(try await transport.load(server.address("/")).body.count == size)
        #expect(recorder.events == ["response 200"])
        decide(true)
        decide(false)
        #expect(try await recorder.result.body == Data(repeating: UInt8(ascii: "x"), count: size))
        #expect(recorder.received.count == size)
    }

    @Test(arguments: [0, 4, 2_000_000], [true, false])
    func `the handler may reject a response, at once or later`(size: Int, isImmediate: Bool) async throws {
        server.serve("/", .letters(size))
        let url = server.address("/")
        let recorder = TransferRecorder { [decisions] in
            if isImmediate { $1(false) } else { decisions.append($1) }
        }
        transport.start(.patient(url), handler: recorder)
        if !isImmediate { try await decisions.first()(false) }
        #expect(await recorder.error == .rejected(url: url))
        #expect(recorder.events == ["response 200", "finish"])
    }

    @Test func `the handler's decision may come from any thread while bytes arrive`() async throws {
        server.serve("/", .letters(100_000))
        let recorders = (0..<200).map { _ in
            TransferRecorder { _, decide in DispatchQueue.global().async { decide(true) } }
        }
        for recorder in recorders { transport.start(.patient(server.address("/")), handler: recorder) }
        for recorder in recorders { #expect(try await recorder.result.body.count == 100_000) }
    }

    @Test func `the handler's decision does not matter after the end of the transfer`() async throws {
        server.serve("/", .text("bird"))
        let recorder = TransferRecorder { [decisions] in decisions.append($1) }
        let task = transport.start(.patient(server.address("/")), handler: recorder)
        let decide = try await decisions.first()
        task.cancel()
        #expect(await recorder.error == .cancelled)
        decide(true)
        #expect(try await transport.load(server.address("/")).text == "bird")
        #expect(recorder.finishCount == 1)
    }
}
