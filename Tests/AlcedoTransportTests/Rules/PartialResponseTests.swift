import Foundation
import Testing

@testable import AlcedoTransport

struct `A partial response` {
    private func response(
        _ headers: [(String, String)], status: Int = 200, bytes: Int64? = 100_000
    ) -> TransportResponse {
        TransportResponse(
            url: URL(text: "http://x/"), status: status, headers: headers.map { (name: $0.0, value: $0.1) },
            expectedBytes: bytes)
    }

    private let tag = ("ETag", "\"1\"")

    @Test(
        arguments: [
            (200, 65_537, true), (200, 65_536, false), (200, nil, false), (203, 100_000, false),
            (206, 100_000, false), (404, 100_000, false),
        ] as [(Int, Int64?, Bool)])
    func `a partial response needs a status of 200 and a length`(status: Int, bytes: Int64?, isKept: Bool) {
        #expect((PartialResponse(response([tag], status: status, bytes: bytes)) != nil) == isKept)
    }

    @Test func `a partial response keeps no cookie and no field of the connection`() throws {
        let partial = try #require(
            PartialResponse(
                response([
                    tag, ("Set-Cookie", "a=b"), ("Connection", "X"), ("X", "1"),
                    ("Content-Encoding", "identity"),
                ])))
        #expect(partial.headers.map { $0.name } == ["ETag", "Content-Encoding"])
    }

    @Test func `a partial response takes the newer fields of the rest, and its own length`() throws {
        var partial = try #require(PartialResponse(response([tag, ("Age", "9"), ("X", "old")])))
        partial.body = Data(count: 70_000)
        #expect(partial.rangeFields.map { $0.name } == ["Range", "If-Range"])
        let rest = response(
            [tag, ("Content-Range", "bytes 70000-99999/100000"), ("x", "new"), ("Content-Length", "30000")],
            status: 206, bytes: 30_000)
        #expect(partial.isContinued(by: rest))
        let whole = partial.whole(updatedBy: rest)
        #expect(whole.status == 200 && whole.expectedBytes == 100_000)
        #expect(whole.headers.map { $0.name } == ["ETag", "x"])
        #expect(whole.value(forHeader: "X") == "new")
    }

    @Test func `a partial response is not continued at another URL`() throws {
        var partial = try #require(PartialResponse(response([tag])))
        partial.body = Data(count: 70_000)
        let headers = [
            (name: "ETag", value: "\"1\""), (name: "Content-Range", value: "bytes 70000-99999/100000"),
        ]
        for (url, fits) in [("http://x/", true), ("http://x/b", false)] {
            let rest = TransportResponse(
                url: URL(text: url), status: 206, headers: headers, expectedBytes: 30_000)
            #expect(partial.isContinued(by: rest) == fits)
        }
    }

    @Test(arguments: [Int64.min, .max, -1, 0])
    func `a partial response may be read with any length`(total: Int64) throws {
        let text = "{\"urlDigest\":\"eA==\",\"headers\":[],\"total\":\(total)}"
        let partial = try JSONDecoder().decode(PartialResponse.self, from: Data(text.utf8))
        let rest = response([("Content-Range", "bytes 0-9/10")], status: 206, bytes: 10)
        #expect(!partial.isContinued(by: rest))
    }
}
