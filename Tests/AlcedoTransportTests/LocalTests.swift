import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Loading local URLs` {
    let transport = StandardTransport()
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ data: Data, to name: String) throws -> String {
        let file = folder.file(name)
        try data.write(to: file)
        return file.absoluteString
    }

    @Test(arguments: [0, 1, 15_000, 3_000_000])
    func `a file is read whole`(size: Int) async throws {
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 * 31) })
        let url = try write(data, to: "a bird.png")
        let recorder = TransferRecorder()
        transport.start(.patient(url), handler: recorder)
        let result = try await recorder.result
        #expect(result.body == data)
        #expect(result.response.status == 0)
        #expect(result.response.url.absoluteString == url)
        #expect(result.response.expectedBytes == Int64(size))
        #expect(result.metrics.bytesReceived == Int64(size))
        #expect(recorder.received == Array(data))
        #expect(recorder.events == ["response 0", "chunk", "finish"].filter { size > 0 || $0 != "chunk" })
    }

    @Test func `a file that is not there, a folder, a pipe and a device are rejected by name`() async throws {
        let pipe = folder.file("pipe")
        mkfifo(pipe.path, 0o600)
        for path in [folder.path + "/none", folder.path, pipe.path, "/dev/zero"] {
            guard case .fileUnreadable(path, _) = await transport.failure("file://" + path) else {
                Issue.record("\(path) was read")
                continue
            }
        }
    }

    @Test func `a file larger than the limit is rejected before it is read`() async throws {
        let url = try write(Data(count: 1001), to: "large")
        #expect(
            await transport.failure(url) { $0.maximumBodyBytes = 1000 } == .tooLarge(limit: 1000, url: url))
        #expect(try await transport.load(url) { $0.maximumBodyBytes = 1001 }.body.count == 1001)
        let sparse = folder.file("sparse")
        _ = try write(Data(), to: "sparse")
        #expect(truncate(sparse.path, 1 << 40) == 0)
        let recorder = TransferRecorder()
        transport.start(.patient(sparse.absoluteString), handler: recorder)
        #expect(await recorder.error == .tooLarge(limit: 256 << 20, url: sparse.absoluteString))
        #expect(recorder.events == ["finish"])
    }

    @Test func `a data URL is its own response`() async throws {
        let result = try await transport.load("data:image/gif;base64,aGVyb24=")
        #expect(result.text == "heron")
        #expect(result.response.value(forHeader: "content-type") == "image/gif")
        guard case .tooLarge = await transport.failure("data:,heron", { $0.maximumBodyBytes = 4 }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: ["data:,heron", "file:///etc/passwd"])
    func `the handler of a local URL may decide later, reject or cancel`(url: String) async throws {
        let decisions = Recorder<TransferRecorder.Decision>()
        let recorders = (0..<3).map { _ in TransferRecorder { decisions.append($1) } }
        var tasks: [any TransportTask] = []
        var decide: [TransferRecorder.Decision] = []
        for (index, recorder) in recorders.enumerated() {
            tasks.append(transport.start(.patient(url), handler: recorder))
            decide.append(try #require(await decisions.waitFor(count: index + 1).last))
        }
        decide[0](true)
        decide[0](true)
        decide[1](false)
        tasks[2].cancel()
        #expect(try await !recorders[0].result.body.isEmpty)
        #expect(await recorders[1].error == .rejected(url: url))
        #expect(await recorders[2].error == .cancelled)
        decide[2](true)
        #expect(recorders.map(\.finishCount) == [1, 1, 1])
    }

    @Test func `http goes to libcurl, and nothing else does`() async throws {
        let server = try LoopbackServer()
        server.serve("/", .text("bird"))
        let url = server.address("/")
        #expect(try await transport.load(url).text == "bird")
        #expect(await transport.failure("ftp://a.test/") == .unsupportedScheme("ftp", url: "ftp://a.test/"))
        let local = LocalTransport()
        #expect(await local.failure(url) == .unsupportedScheme("http", url: url))
    }
}
