import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .enabled(if: SecureServer.isAvailable), .serialized)
struct `TLS and HTTP/2` {
    let transport = CurlTransport()
    let server: SecureServer

    init() async throws {
        // The huge file is more than libcurl's window, which it must not let one response use up.
        server = try await SecureServer(files: ["small": 4, "large": 4_000_000, "huge": 80_000_000])
    }

    @Test func `HTTP/2 is spoken with a server whose authority is known`() async throws {
        let result = try await transport.load(server.url + "/small") {
            $0.certificateAuthorityFile = server.authorityFile
        }
        #expect(result.body == Data(count: 4))
        #expect(result.response.httpVersion == "HTTP/2")
        #expect(result.response.status == 200)
        #expect(result.response.value(forHeader: "Content-Length") == "4")
        #expect(result.metrics.tls ?? 0 > 0)
    }

    @Test func `a server that nobody vouches for is rejected with a reason`() async throws {
        guard case .tls(let reason, server.url) = await transport.failure(server.url) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("certificate"))
    }

    @Test func `a server that nobody vouches for is accepted without verification`() async throws {
        let url = server.url + "/small"
        #expect(try await transport.load(url) { $0.verifiesServer = false }.body.count == 4)
        guard case .tls = await transport.failure(url) else {
            Issue.record("the next request was not verified")
            return
        }
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let url = "https://localhost:\(server.port)/small"
        guard case .tls = await transport.failure(url, { $0.certificateAuthorityFile = server.authorityFile })
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `an authority file that is not there is an error`() async throws {
        guard case .tls = await transport.failure(server.url, { $0.certificateAuthorityFile = "/none" })
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `many HTTP/2 requests share one connection`() async throws {
        let recorders = (0..<200).map { _ in TransferRecorder() }
        for recorder in recorders { start("/small", recorder) }
        var connects = 0
        for recorder in recorders {
            let result = try await recorder.result
            #expect(result.body == Data(count: 4))
            if !result.metrics.isConnectionReused { connects += 1 }
        }
        #expect(connects == 1)
    }

    @Test func `more requests than connections run at once when HTTP/2 is known`() async throws {
        let pending = Lock<[TransferRecorder.Decision]>([])
        let recorders = (0..<50).map { _ in
            TransferRecorder { _, decide in
                let all = pending.withLock { pending in
                    pending.append(decide)
                    return pending.count == 50 ? pending : []
                }
                for decide in all { decide(true) }
            }
        }
        for recorder in recorders { start("/small", recorder) }
        for recorder in recorders { #expect(try await recorder.result.body == Data(count: 4)) }
    }

    @Test func `a handler that takes its time does not delay other HTTP/2 transfers`() async throws {
        let decisions = Recorder<TransferRecorder.Decision>()
        let thoughtful = TransferRecorder { decisions.append($1) }
        start("/huge", thoughtful)
        let decide = try await decisions.first()
        for _ in 0..<3 {
            let quick = TransferRecorder()
            start("/large", quick)
            #expect(try await quick.result.body.count == 4_000_000)
        }
        decide(true)
        #expect(try await thoughtful.result.body.count == 80_000_000)
    }

    @Test func `large bodies side by side over HTTP/2 all arrive`() async throws {
        for _ in 0..<5 {
            let recorders = (0..<8).map { _ in TransferRecorder() }
            for recorder in recorders { start("/large", recorder) }
            for recorder in recorders { #expect(try await recorder.result.body.count == 4_000_000) }
        }
    }

    @Test func `cancelling some HTTP/2 requests leaves the others alone`() async throws {
        let started = Recorder<Int64>()
        let doomed = (0..<20).map { _ in TransferRecorder(onChunk: { started.append($0) }) }
        let others = (0..<20).map { _ in TransferRecorder() }
        let tasks = doomed.map { start("/large", $0) }
        for other in others { start("/large", other) }
        await started.waitFor(count: 1)
        for task in tasks { task.cancel() }
        for recorder in doomed { _ = await recorder.outcome }
        for other in others { #expect(try await other.result.body.count == 4_000_000) }
    }

    @discardableResult
    private func start(_ path: String, _ recorder: TransferRecorder) -> any TransportTask {
        transport.start(.patient(server.url + path) { $0.verifiesServer = false }, handler: recorder)
    }
}
