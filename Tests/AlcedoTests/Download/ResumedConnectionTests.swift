import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Notes what a transport reports.
private final class Reports: TransportHandler {
    let events = Recorder<String>()
    let result = Recorder<Result<TransferResult, TransportError>>()

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        events.append("head \(response.status) \(response.expectedBytes ?? -1)")
        decide(true)
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        events.append("\(chunk.byteCount) \(received) \(expected ?? -1)")
    }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) { self.result.append(result) }
}

/// HTTP/2 connections that break may be tried again by the transport: a test plays one.
@Suite(.timeLimit(.minutes(10)))
struct `A connection that breaks within a body` {
    private let base = ScriptedTransport()
    private let reports = Reports()
    private let folder: TemporaryDirectory
    private let partial: PartialFolder
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://127.0.0.1/a"))
        folder = try TemporaryDirectory()
        partial = PartialFolder(
            path: folder.path, byteLimit: 1 << 20, expiration: 1_000, timeout: { _, _ in {} })
        let transport = ResumingTransport(base, store: partial) { [body] first, rest, joined in
            joined(first + rest, first + rest == body)
        }
        transport.start(TransportRequest(url: url), handler: reports)
    }

    private func head(_ status: Int, _ fields: [(String, String)], _ count: Int) -> TransportResponse {
        TransportResponse(
            url: url, status: status, headers: fields.map { (name: $0.0, value: $0.1) },
            expectedBytes: Int64(count))
    }

    /// Plays a response up to its break, and returns whether the transport may start over.
    private func breakOff(_ handler: any TransportHandler, after count: Int) -> Bool {
        handler.transfer(didReceive: head(200, [("ETag", "\"1\"")], body.count)) { _ in }
        let first = body.prefix(count)
        handler.transfer(didReceive: first.bytes, received: Int64(count), expected: 100_000)
        let startsOver = handler.transferMayStartOver()
        let error = TransportError.incompleteBody(
            received: Int64(count), expected: 100_000, url: url.absoluteString)
        if !startsOver { handler.transferDidFinish(.failure(error)) }
        return startsOver
    }

    private func finish(_ handler: any TransportHandler, _ response: TransportResponse, _ rest: Data) {
        let decided = Recorder<Bool>()
        handler.transfer(didReceive: response) { decided.append($0) }
        guard decided.values == [true] else {
            return handler.transferDidFinish(.failure(.rejected(url: url.absoluteString)))
        }
        handler.transfer(didReceive: rest.bytes, received: Int64(rest.count), expected: Int64(rest.count))
        handler.transferDidFinish(.success(TransferResult(response: response, body: rest)))
    }

    @Test
    func `a body whose connection breaks is resumed at once, and nothing is received twice`() async throws {
        let first = await base.started.waitFor(count: 1)[0]
        #expect(!breakOff(first.handler, after: 70_000))
        let second = await base.started.waitFor(count: 2)[1]
        #expect(second.request.headers.contains { $0.name == "Range" && $0.value == "bytes=70000-" })
        let range = ("Content-Range", "bytes 70000-99999/100000")
        finish(second.handler, head(206, [("ETag", "\"1\""), range], 30_000), body.suffix(30_000))
        let result = try await reports.result.waitFor(count: 1)[0].get()
        #expect(result.body == body && result.response.status == 200)
        #expect(reports.events.values == ["head 200 100000", "70000 70000 100000", "30000 100000 100000"])
    }

    @Test func `a body whose connection breaks fails when the rest has changed`() async {
        let first = await base.started.waitFor(count: 1)[0]
        #expect(!breakOff(first.handler, after: 70_000))
        let second = await base.started.waitFor(count: 2)[1]
        finish(second.handler, head(200, [("ETag", "\"2\"")], 100_000), body)
        let result = await reports.result.waitFor(count: 1)[0]
        #expect(
            throws: TransportError.incompleteBody(
                received: 70_000, expected: 100_000, url: url.absoluteString)
        ) {
            try result.get()
        }
    }

    @Test func `a body whose connection breaks is resumed once only`() async {
        let first = await base.started.waitFor(count: 1)[0]
        #expect(!breakOff(first.handler, after: 70_000))
        let second = await base.started.waitFor(count: 2)[1]
        let range = ("Content-Range", "bytes 70000-99999/100000")
        second.handler.transfer(didReceive: head(206, [("ETag", "\"1\""), range], 30_000)) { _ in }
        let part = body[70_000..<80_000]
        second.handler.transfer(didReceive: part.bytes, received: 10_000, expected: 30_000)
        #expect(!second.handler.transferMayStartOver())
        second.handler.transferDidFinish(
            .failure(.incompleteBody(received: 10_000, expected: 30_000, url: url.absoluteString)))
        let result = await reports.result.waitFor(count: 1)[0]
        #expect(
            throws: TransportError.incompleteBody(
                received: 80_000, expected: 100_000, url: url.absoluteString)
        ) {
            try result.get()
        }
        #expect(base.started.count == 2)
    }

    @Test func `a body whose connection breaks before 64 KiB is not resumed`() async {
        let first = await base.started.waitFor(count: 1)[0]
        #expect(!breakOff(first.handler, after: 65_000))
        #expect(await reports.result.waitFor(count: 1).count == 1)
        #expect(base.started.count == 1)
    }

    @Test func `a resumed body is stored again, however long, when the transport starts the rest over`()
        async throws
    {
        // The fixture's own request, which starts after a lookup on another thread, must not be taken for one of these.
        await base.started.waitFor(count: 1)
        let long = Data(repeating: 7, count: 12 << 20)
        let key = try #require(URL(string: "http://127.0.0.1/long"))
        let folder = try TemporaryDirectory()
        let partial = PartialFolder(
            path: folder.path, byteLimit: 1 << 26, expiration: 1_000, timeout: { _, _ in {} })
        func load() async -> any TransportHandler {
            let transport = ResumingTransport(base, store: partial) { $2($0 + $1, $0 + $1 == long) }
            let count = base.started.count
            transport.start(TransportRequest(url: key), handler: Reports())
            return await base.started.waitFor(count: count + 1)[count].handler
        }
        func breakOff(_ handler: any TransportHandler, _ response: TransportResponse, _ count: Int) async {
            let decided = Recorder<Bool>()
            handler.transfer(didReceive: response) { decided.append($0) }
            await decided.waitFor(count: 1)
            var received = 0
            while received < count {
                // Not faster than the disk.
                partial.queue.sync {}
                let step = min(1 << 20, count - received)
                received += step
                handler.transfer(
                    didReceive: long.prefix(step).bytes, received: Int64(received), expected: nil)
            }
        }
        let error = TransportError.incompleteBody(received: 0, expected: nil, url: key.absoluteString)
        let first = await load()
        await breakOff(first, head(200, [("ETag", "\"1\"")], long.count), 9 << 20)
        first.transferDidFinish(.failure(error))
        partial.queue.sync {}
        let second = await load()
        let start = 9 << 20
        let range = ("Content-Range", "bytes \(start)-\(long.count - 1)/\(long.count)")
        let rest = head(206, [("ETag", "\"1\""), range], long.count - start)
        await breakOff(second, rest, 2 << 20)
        await breakOff(second, rest, 1 << 20)
        second.transferDidFinish(.failure(error))
        partial.queue.sync {}
        _ = await load()
        let ranges = base.started.values.suffix(2).map { started in
            started.request.headers.first { $0.name == "Range" }?.value
        }
        #expect(ranges == ["bytes=\(start)-", "bytes=\(start + 1 << 20)-"])
    }
}
