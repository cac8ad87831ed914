import Foundation
import Testing

@testable import AlcedoTransport

struct `A header block` {
    private func block(_ lines: [String]) -> HeaderBlock { block(lines.map { Array($0.utf8) }) }

    private func block(_ lines: [[UInt8]]) -> HeaderBlock {
        var block = HeaderBlock()
        for line in lines { _ = line.withUnsafeBytes { block.append(line: $0) } }
        return block
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", 200, "HTTP/1.1"), ("HTTP/2 304 \r\n", 304, "HTTP/2"),
        ("HTTP/1.0 404\n", 404, "HTTP/1.0"), ("HTTP/1.1\r\n", 0, "HTTP/1.1"),
        ("HTTP/1.1 abc\r\n", 0, "HTTP/1.1"),
    ])
    func `a header block reads the status line`(line: String, status: Int, version: String) {
        #expect(block([line]).status == status)
        #expect(block([line]).httpVersion == version)
    }

    @Test func `a header block finds values in any case and trims them`() {
        let block = block(["HTTP/1.1 200 OK\r\n", "ETag:  \"x\" \r\n", "Empty:\r\n", "no colon\r\n", "\r\n"])
        #expect(block.value(of: "etag") == "\"x\"")
        #expect(block.value(of: "EMPTY")?.isEmpty == true)
        #expect(block.value(of: "no colon") == nil)
        #expect(block.value(of: "ETa") == nil)
        #expect(block.fields.map(\.name) == ["ETag", "Empty"])
        #expect(block.isComplete)
    }

    @Test func `a header block joins a folded line to the one before`() {
        let block = block(["HTTP/1.1 200 OK\r\n", "A: one\r\n", " two\r\n", "B: 3\r\n", "\r\n"])
        #expect(block.value(of: "a") == "one two")
        #expect(block.value(of: "b") == "3")
    }

    @Test func `a header block starts over with the next status line, and not with a trailer`() {
        let lines = [
            "HTTP/1.1 100 Continue\r\n", "A: 1\r\n", "\r\n", "HTTP/1.1 204 No\r\n", "B: 2\r\n", "\r\n",
            "C: 3\r\n",
        ]
        let block = block(lines)
        #expect(block.status == 204)
        #expect(block.fields.map(\.name) == ["B"])
    }

    @Test func `a header block does not take a field for a status line`() {
        let block = block(["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "HTTP/2 404: x\r\n", "\r\n"])
        #expect(block.status == 200)
        #expect(block.value(of: "a") == "1")
    }

    @Test func `a header block takes bytes that are not UTF-8 for Latin-1`() {
        let block = block([
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("Place: K".utf8) + [0xF6] + Array("ln\r\n".utf8),
        ])
        #expect(block.value(of: "Place") == "Köln")
    }

    @Test func `a header block rejects more than 256 KiB`() {
        var block = HeaderBlock()
        let line = Array("A: \(String(repeating: "x", count: 1021))".utf8)
        let kept = (0..<300).prefix { _ in line.withUnsafeBytes { block.append(line: $0) } == .field }
        #expect(kept.count == 256)
    }

    @Test func `a header block gives back the fields that it was created from`() {
        let response = TransportResponse(url: URL(text: "x:"), status: 200, headers: [("A", "1"), ("b", "")])
        #expect(response.headers.map(\.name) == ["A", "b"])
        #expect(response.value(forHeader: "B")?.isEmpty == true)
    }
}
