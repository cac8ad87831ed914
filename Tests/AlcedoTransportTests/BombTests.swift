import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Bodies that unpack to very much` {
    let transport = CurlTransport()

    @Test(arguments: [("gzip", gzipBomb), ("br", brotliBomb), ("zstd", zstdBomb)])
    func `a body that unpacks to too much ends at the limit`(coding: String, bytes: [UInt8]) async throws {
        let limit = 1 << 20
        let server = try LoopbackServer()
        server.serve("/", Reply(body: bytes, headers: [("Content-Encoding", coding)]))
        let recorder = TransferRecorder()
        let url = server.address("/")
        transport.start(.patient(url) { $0.maximumBodyBytes = limit }, handler: recorder)
        #expect(await recorder.error == .tooLarge(limit: limit, url: url))
        #expect((limit - 64 << 10...limit).contains(recorder.received.count))
        #expect(recorder.received.allSatisfy { $0 == 0 })
    }

    @Test func `a body with a hundred layers of compression is malformed`() async throws {
        let server = try LoopbackServer()
        let layers = Array(repeating: "gzip", count: 100).joined(separator: ", ")
        server.serve("/", Reply(body: gzipBomb, headers: [("Content-Encoding", layers)]))
        guard case .malformedResponse = await transport.failure(server.address("/")) else {
            Issue.record("not refused")
            return
        }
    }
}

// 16 MB or more of zeros each; nobody gets to their ends.

private let gzipBomb: [UInt8] = {
    var bits: [Bool] = []
    func add(_ text: String) { bits += text.map { $0 == "1" } }
    // The last block, with fixed codes: a zero, and again and again the 258 bytes before.
    add("110" + "00110000")
    for _ in 0..<65_536 { add("11000101" + "00000") }
    let packed = stride(from: 0, to: bits.count, by: 8).map { start in
        bits[start..<min(start + 8, bits.count)].enumerated().reduce(into: UInt8(0)) { byte, bit in
            if bit.element { byte |= 1 << UInt8(bit.offset) }
        }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + packed
}()

/// 64 MB, as brotli's own program packs them.
private let brotliBomb = [UInt8](
    Data(base64Encoded: "z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37f/7//8M/ARCHBQC69/8D")
        ?? Data())

/// A frame with a window of 128 KB, whose blocks say that a zero comes 128 K times.
private let zstdBomb: [UInt8] =
    [0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3]
    + (0..<1024).flatMap { _ in [0x02, 0x00, 0x10, 0x00] as [UInt8] }
