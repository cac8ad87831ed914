import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Files that are slow` {
    @Test func `keep a few threads busy, not one each`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        let transport = LocalTransport()
        let (gate, most, running) = (Gate(), Recorder<Int>(), Counter())
        let recorders = (0..<30).map { _ in
            TransferRecorder(onResponse: { _, decide in
                most.append(running.increment())
                gate.wait()
                running.increment(by: -1)
                decide(true)
            })
        }
        for recorder in recorders {
            transport.start(TransportRequest(url: file.absoluteString), handler: recorder)
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

    /// Starts a task while as many files are slow as are read at a time, and tasks occupy all threads of Swift's pool but one.
    private func startTask(beside file: URL, _ gate: Gate) async -> DispatchTimeoutResult {
        await withCheckedContinuation { continuation in
            Thread {
                let (event, isOver) = (DispatchSemaphore(value: 0), Counter())
                func waitForEvents(_ count: Int) -> DispatchTimeoutResult {
                    (0..<count).contains { _ in event.wait(timeout: .now() + 30) == .timedOut }
                        ? .timedOut : .success
                }
                let busy = ProcessInfo.processInfo.activeProcessorCount - 1
                for _ in 0..<busy {
                    Task.detached {
                        event.signal()
                        while isOver.value == 0 {}
                    }
                }
                var result = waitForEvents(busy)
                for _ in 0..<4 where result == .success {
                    let recorder = TransferRecorder(onResponse: { _, decide in
                        event.signal()
                        gate.wait()
                        decide(true)
                    })
                    LocalTransport().start(TransportRequest(url: file.absoluteString), handler: recorder)
                }
                if result == .success { result = waitForEvents(4) }
                Task.detached { event.signal() }
                if result == .success { result = waitForEvents(1) }
                isOver.increment()
                gate.open()
                continuation.resume(returning: result)
            }.start()
        }
    }

    @Test func `leave tasks a thread`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        #expect(await startTask(beside: file, Gate()) == .success)
    }
}
