import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Files that are slow` {
    @Test func `slow files keep a few threads busy, not one each`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        // Without checks, so that no handler is taken for one that hangs.
        let transport = LocalTransport(files: FileQueue(label: "test", mostThreads: 64) { _ in })
        let (gate, most, running) = (Gate(), Recorder<Int>(), CallCounter())
        let recorders = (0..<30).map { _ in
            TransferRecorder(onResponse: { _, decide in
                most.append(running.increment())
                gate.wait()
                running.increment(by: -1)
                decide(true)
            })
        }
        for recorder in recorders {
            transport.start(TransportRequest(url: file), handler: recorder)
        }
        await gate.waitForArrivals(4)
        for arrivals in 5...30 {
            gate.admit()
            await gate.waitForArrivals(arrivals)
        }
        gate.open()
        for recorder in recorders { #expect(try await recorder.result.body.count == 3) }
        #expect((most.values.max() ?? 0) <= 4)
    }

    @Test func `slow files leave Swift's tasks a thread`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        let hasThread = await CooperativePool.hasThread(beside: 4) { wait in
            let recorder = TransferRecorder(onResponse: { _, decide in
                wait()
                decide(true)
            })
            LocalTransport().start(TransportRequest(url: file), handler: recorder)
        }
        #expect(hasThread)
    }
}
