import Alcedo
import AlcedoTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A memory transport` {
    private let transport = MemoryTransport()
    private let downloader: ImageDownloader
    private let url: URL

    init() throws {
        downloader = ImageDownloader(name: "test", transport: transport)
        url = try #require(URL(string: "https://example.com/a.png"))
    }

    private func download() async throws -> ImageLoadingResult {
        try await downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)])
    }

    private func start(_ handler: Handler) -> any TransportTask {
        transport.start(TransportRequest(url: url), handler: handler)
    }

    @Test func `a memory transport gives responses in turn, and repeats the last one`() async throws {
        transport.respond(
            to: url, with: try .image(.solid(width: 1, height: 2)), try .image(.solid(width: 3, height: 4)))
        var widths: [Int] = []
        for _ in 0..<3 { widths.append(try await download().image.pixelSize.width) }
        #expect(widths == [1, 3, 3] && transport.requests.count == 3)
    }

    @Test func `a memory transport records requests with their headers`() async throws {
        transport.respond(to: url, with: try .image(.solid(width: 1, height: 1)))
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("ann", forHTTPHeaderField: "X-User")
            return request
        }
        _ = try await downloader.downloadImage(
            with: url, options: [.requestModifier(modifier), .callbackQueue(.untouch)])
        let request = try #require(transport.requests.values.first)
        #expect(request.headers.contains { $0.name == "X-User" && $0.value == "ann" })
    }

    @Test func `a memory transport sends the status, the headers and the body`() async throws {
        let response = ScriptedResponse(status: 203, headers: [("ETag", "\"1\"")], body: Data("abc".utf8))
        transport.respond(to: url, with: response)
        let handler = Handler()
        _ = start(handler)
        let result = try await handler.result
        #expect(result.response.status == 203 && result.response.value(forHeader: "etag") == "\"1\"")
        #expect(result.body == Data("abc".utf8) && result.response.expectedBytes == 3)
        #expect(handler.events.values == ["response", "3 of 3", "end"])
    }

    @Test func `a memory transport sends chunks as a gate admits them`() async throws {
        let gate = Gate()
        var response = ScriptedResponse(body: Data("abcde".utf8)).inChunks(of: 2, each: gate)
        response.announcesLength = false
        transport.respond(to: url, with: response)
        let handler = Handler()
        _ = start(handler)
        await gate.waitForArrivals(1)
        #expect(handler.events.values == ["response"])
        gate.admit(2)
        await gate.waitForArrivals(3)
        #expect(handler.events.values == ["response", "2 of nil", "4 of nil"])
        gate.open()
        #expect(try await handler.result.body == Data("abcde".utf8))
        #expect(handler.events.values.suffix(2) == ["5 of nil", "end"])
    }

    @Test func `a memory transport fails as told, before the response or after the body`() async throws {
        let error = TransportError.incompleteBody(received: 3, expected: 9, url: url.absoluteString)
        transport.respond(
            to: url, with: .failure(error), ScriptedResponse(body: Data("abc".utf8)).failing(with: error))
        for events in [["end"], ["response", "3 of 3", "end"]] {
            let handler = Handler()
            _ = start(handler)
            await #expect(throws: error) { try await handler.result }
            #expect(handler.events.values == events)
        }
    }

    @Test func `a memory transport ends a cancelled transfer wherever it waits`() async throws {
        let (gate, chunkGate) = (Gate(), Gate())
        let response = ScriptedResponse(body: Data("abc".utf8))
        transport.respond(
            to: url, with: response.held(until: gate), response.inChunks(of: 1, each: chunkGate), response)
        for waiting in [gate, chunkGate] {
            let handler = Handler()
            let task = start(handler)
            await waiting.waitForArrivals(1)
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await handler.result }
        }
        let undecided = Handler(decides: nil)
        let task = start(undecided)
        await undecided.events.waitFor(count: 1)
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await undecided.result }
        #expect(await transport.cancellations.waitFor(count: 3).count == 3)
    }

    @Test func `a memory transport rejects what its handler rejects, and bodies too large`() async throws {
        transport.respond(to: url, with: ScriptedResponse(body: Data("abc".utf8)))
        let refusing = Handler(decides: false)
        _ = start(refusing)
        await #expect(throws: TransportError.rejected(url: url.absoluteString)) { try await refusing.result }
        let handler = Handler()
        var request = TransportRequest(url: url)
        request.maximumBodyBytes = 2
        transport.start(request, handler: handler)
        await #expect(throws: TransportError.tooLarge(limit: 2, url: url.absoluteString)) {
            try await handler.result
        }
    }

    @Test func `a memory transport says which URL has no response`() async throws {
        let error = await kingfisherError { try await download() }
        #expect(error?.localizedDescription.contains("https://example.com/a.png") == true)
        #expect(error?.localizedDescription.contains("respond(to:with:)") == true)
    }
}

/// Records what a transport calls.
private final class Handler: TransportHandler {
    let events = Recorder<String>()
    private let ends = Recorder<Result<TransferResult, TransportError>>()
    private let isWanted: Bool?

    init(decides isWanted: Bool? = true) { self.isWanted = isWanted }

    var result: TransferResult {
        get async throws { try await ends.waitFor(count: 1)[0].get() }
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        events.append("response")
        if let isWanted { decide(isWanted) }
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        events.append("\(received) of \(expected.map(String.init) ?? "nil")")
    }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        events.append("end")
        ends.append(result)
    }
}

/// The error that `body` throws, if it is one of Kingfisher's.
private func kingfisherError(_ body: () async throws -> some Any) async -> KingfisherError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? KingfisherError
    }
}
