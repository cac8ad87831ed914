import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A folder that hangs` {
    let clock = ManualIntervals()
    let hang = Gate()
    let files: FileQueue
    let transport: LocalTransport
    let folder: TemporaryDirectory
    let other: TemporaryDirectory

    init() throws {
        files = FileQueue(label: "test", mostThreads: 40, schedule: clock.schedule)
        transport = LocalTransport(files: files)
        (folder, other) = (try TemporaryDirectory(), try .inMemory())
        for folder in [folder, other] { try Data("heron".utf8).write(to: folder.file("a")) }
    }

    private func hangFolder(for seconds: Double = 15) async {
        for _ in 0..<4 {
            files.run(folder.file("b").path, limits: FileLimits(seconds: seconds)) { [hang] _ in
                hang.wait()
                return .success(())
            } then: { _ in
            }
        }
        await hang.waitForArrivals(4)
    }

    private func start(_ folder: TemporaryDirectory, timeout: Double = 15) -> (
        any TransportTask, TransferRecorder
    ) {
        let recorder = TransferRecorder()
        let request = TransportRequest(url: folder.file("a")) {
            ($0.timeouts.firstByte, $0.timeouts.stall, $0.timeouts.total) = (
                .seconds(timeout), .seconds(timeout), .zero
            )
        }
        return (transport.start(request, handler: recorder), recorder)
    }

    @Test func `a folder that hangs delays no file of another folder`() async throws {
        await hangFolder()
        let (_, waiting) = start(folder)
        #expect(try await start(other).1.result.text == "heron")
        #expect(waiting.finishCount == 0)
        hang.open()
        #expect(try await waiting.result.text == "heron")
    }

    @Test(arguments: [15, 1.5])
    func `files of a folder that hangs fail after a timeout, with path and advice`(timeout: Double) async {
        await hangFolder(for: timeout)
        let (_, waiting) = start(folder, timeout: timeout)
        let (_, unlimited) = start(folder, timeout: 0)
        let seconds = Int(timeout.rounded(.up))
        clock.pass(seconds)
        #expect(waiting.finishCount == 0)
        clock.pass()
        let path = folder.file("a").path
        let reason = "its file system has not responded for \(seconds) s; check whether it hangs or is gone"
        #expect(await waiting.error == .fileUnreadable(path: path, reason: reason))
        #expect(await start(folder, timeout: timeout).1.error == .fileUnreadable(path: path, reason: reason))
        #expect(unlimited.finishCount == 0)
        hang.open()
        #expect(await unlimited.error == nil)
        #expect(waiting.finishCount == 1)
    }

    @Test func `files of a folder that hangs end at once when cancelled, and leave nothing`() async {
        await hangFolder()
        let transfers = (0..<20).map { _ in start(folder) }
        for (task, _) in transfers { task.cancel() }
        for (_, recorder) in transfers { #expect(await recorder.error == .cancelled) }
        #expect(files.pendingCount == 0)
        hang.open()
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Handlers that block` {
    @Test func `handlers that block leave the files of other folders their threads`() async throws {
        let (folder, other) = (try TemporaryDirectory(), try TemporaryDirectory.inMemory())
        for folder in [folder, other] { try Data("heron".utf8).write(to: folder.file("a")) }
        let (transport, gate) = (LocalTransport(), Gate())
        let blocked = (0..<4).map { _ in
            TransferRecorder(onResponse: { _, decide in
                gate.wait()
                decide(true)
            })
        }
        for recorder in blocked {
            transport.start(.patient(folder.file("a").absoluteString), handler: recorder)
        }
        await gate.waitForArrivals(4)
        #expect(try await LocalTransport().load(other.file("a").absoluteString).text == "heron")
        gate.open()
        for recorder in blocked { #expect(try await recorder.result.text == "heron") }
    }

    @Test func `handlers that block are called no more once their transfer is cancelled`() async throws {
        let folder = try TemporaryDirectory()
        try Data(count: 5 << 20).write(to: folder.file("a"))
        let gate = Gate()
        let recorder = TransferRecorder(onChunk: { _ in gate.wait() })
        let task = LocalTransport().start(.patient(folder.file("a").absoluteString), handler: recorder)
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        #expect(await recorder.error == .cancelled)
        #expect(gate.arrivals == 1)
        #expect(recorder.events == ["response 0", "chunk", "finish"])
    }
}
