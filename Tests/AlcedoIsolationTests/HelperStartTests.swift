import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoIsolation

/// A helper program on a disk that hangs holds up its start.
@Suite(.timeLimit(.minutes(10))) struct `The start of a helper program that hangs` {
    private let path = "/hung/\(UUID())"
    private let hang = Gate()
    private let starts = Recorder<pid_t>()

    private func start(within milliseconds: Int32) throws -> pid_t {
        let (own, theirs) = try #require(Channel.pair())
        defer { own.close() }
        return try HelperStart.process(path, [], theirs, within: milliseconds) { [hang, starts] _, _, _ in
            hang.wait()
            let process = try? ChildProcess(["/bin/sleep", "1000"])
            starts.append(process?.id ?? -1)
            return process?.id ?? -1
        }
    }

    private func isRejected() -> Bool {
        do { _ = try start(within: 0) } catch DecodeSandbox.Failure.unavailable(let reason) {
            return reason.contains("check whether its file system hangs")
        } catch {}
        return false
    }

    @Test func `a helper whose start hangs fails, costs one thread, and is killed once it has started`()
        async throws
    {
        #expect(isRejected())
        #expect(isRejected())
        await hang.waitForArrivals(1)
        hang.open()
        let late = try #require(await starts.waitFor(count: 1).first)
        // It is reaped by whoever waits for it.
        while kill(late, 0) == 0, !Task.isCancelled { await Task.yield() }
        let process = try start(within: 600_000)
        #expect(starts.values == [late, process])
        kill(process, SIGKILL)
    }
}
