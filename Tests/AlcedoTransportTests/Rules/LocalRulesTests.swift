import Foundation
import Testing

@testable import AlcedoTransport

struct `Local URLs` {
    @Test(arguments: [
        ("data:,a%20b", "text/plain;charset=US-ASCII", "a b"),
        ("DATA:text/html;charset=utf-8,%3Cp%3E#top", "text/html;charset=utf-8", "<p>"),
        ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"),
        ("data:image/png;base64,aGVyb24=", "image/png", "heron"),
        ("data:image/png;base64,aGVy%20b24", "image/png", "heron"),
        ("data:;BASE64,Pj4_", "text/plain;charset=US-ASCII", ">>?"),
        ("data:,", "text/plain;charset=US-ASCII", ""),
        ("data:,50%", "text/plain;charset=US-ASCII", "50%"),
    ])
    func `a data URL has a type and bytes`(url: String, type: String, body: String) throws {
        let data = try DataURL(url)
        #expect(data.mediaType == type)
        #expect(String(decoding: data.body, as: UTF8.self) == body)
    }

    @Test(arguments: [
        "data:", "data:text/plain", "data:;base64,a", "data:;base64,!!!!", "data:;base64,aGVy=b24",
    ])
    func `a data URL without a comma or with bad base64 is rejected`(url: String) {
        #expect(throws: TransportError.self) { try DataURL(url) }
    }

    @Test(arguments: [
        ("file:///tmp/a%20b.png", "/tmp/a b.png"), ("file:/tmp/a", "/tmp/a"),
        ("FILE://LocalHost/tmp/%C3%B6?x#y", "/tmp/ö"), ("file:///a%2", "/a%2"), ("file:///a%zz", "/a%zz"),
        ("file:///%%41", "/%A"), ("file:///a%4%41", "/a%4A"),
    ])
    func `a file URL has a path`(url: String, path: String) throws {
        #expect(try FileURL.path(of: url) == path)
    }

    @Test(arguments: [
        ("file:///a%FF%20%C3%B6%C3", [97, 0xFF, 32, 0xC3, 0xB6, 0xC3], "/a\u{FFFD} ö\u{FFFD}"),
        // A character that stands for a byte elsewhere.
        ("file:///%F4%8F%BE%85", [0xF4, 0x8F, 0xBE, 0x85], "/\u{10FF85}"),
    ])
    func `a file URL's path need not be UTF-8`(url: String, name: [UInt8], shown: String) throws {
        let path = try FileURL.path(of: url)
        #expect(path.systemBytes.map { UInt8(bitPattern: $0) } == [47] + name + [0])
        #expect(path.shown == shown)
        #expect(URL(string: url)?.filePath == path)
    }

    @Test(arguments: ["file:", "file://", "file:a/b", "file://host/a", "file:///a%00b"])
    func `a file URL without an absolute path here is rejected`(url: String) {
        #expect(throws: TransportError.self) { try FileURL.path(of: url) }
    }
}

struct `A body buffer` {
    @Test func `a body buffer does not reserve all that a length announces`() {
        var buffer = BodyBuffer()
        let chunk = [UInt8](repeating: 7, count: 100)
        let isStored = chunk.withUnsafeBytes { buffer.append($0, expected: .max) }
        #expect(isStored)
        #expect(buffer.room <= BodyBuffer.slack)
    }

    @Test func `a body buffer keeps what it is given, however much`() {
        var buffer = BodyBuffer()
        var all = Data()
        for round in 0..<300 {
            let chunk = Data(repeating: UInt8(truncatingIfNeeded: round), count: round * 37)
            _ = chunk.withUnsafeBytes { buffer.append($0, expected: round % 2 == 0 ? nil : 5000) }
            all += chunk
        }
        #expect(buffer.room <= BodyBuffer.slack)
        #expect(buffer.take() == all)
        #expect(buffer.count == 0)
        #expect(buffer.take() == Data())
    }
}

struct `Transport errors` {
    @Test(arguments: [
        TransportError.invalidURL("http://a.test/x", reason: "r"),
        .unsupportedScheme("ftp", url: "http://a.test/x"),
        .invalidHeader(name: "n", url: "http://a.test/x"),
        .couldNotResolveHost("a.test", url: "http://a.test/x"),
        .cannotConnect(reason: "r", url: "http://a.test/x"),
        .timedOut(.stall, seconds: 1, url: "http://a.test/x"),
        .tls(reason: "r", url: "http://a.test/x"),
        .incompleteBody(received: 1, expected: 2, url: "http://a.test/x"),
        .incompleteBody(received: 1, expected: nil, url: "http://a.test/x"),
        .tooLarge(limit: 1, url: "http://a.test/x"),
        .tooManyRedirects(limit: 1, url: "http://a.test/x"),
        .malformedResponse(reason: "r", url: "http://a.test/x"),
        .rejectedRedirect(to: "ftp:", reason: "r", url: "http://a.test/x"), .rejected(url: "http://a.test/x"),
        .connectionLost(reason: "r", url: "http://a.test/x"),
        .other(code: 1, reason: "r", url: "http://a.test/x"),
    ])
    func `transport errors name the URL`(error: TransportError) {
        #expect(error.description.contains("http://a.test/x"))
    }

    @Test func `transport errors cut a long URL short`() {
        let url = "data:" + String(repeating: "a", count: 100_000)
        #expect(TransportError.invalidURL(url, reason: "r").description.count < 500)
    }
}
