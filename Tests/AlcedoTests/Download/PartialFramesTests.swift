import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo

struct `A file of a body that broke off` {
    private let response: PartialResponse
    private let file: Data
    private let parts = [Data([1, 2, 3]), Data([4]), Data(5...9)]

    init() throws {
        let head = TransportResponse(
            url: "http://x/a", status: 200, headers: [(name: "ETag", value: "\"1\"")], expectedBytes: 100_000)
        response = try #require(PartialResponse(head))
        var file = try #require(PartialFrames.head(of: response))
        for part in parts { file += PartialFrames.frame(part, at: file.count) }
        self.file = file
    }

    @Test func `is read as it was written`() throws {
        let read = try #require(PartialFrames.response(in: file))
        #expect(read.response.body == parts[0] + parts[1] + parts[2])
        #expect(read.response.url == "http://x/a" && read.response.total == 100_000)
        #expect(read.response.headers == response.headers)
        #expect(read.end == file.count)
    }

    @Test func `gives a beginning of the body wherever it is cut`() {
        let body = parts[0] + parts[1] + parts[2]
        for count in 0..<file.count {
            guard let read = PartialFrames.response(in: file.prefix(count)) else { continue }
            #expect(body.starts(with: read.response.body) && read.end <= count)
        }
        #expect(PartialFrames.response(in: Data()) == nil)
    }

    @Test func `gives a beginning of the body whichever byte is wrong`() {
        let body = parts[0] + parts[1] + parts[2]
        for index in file.indices {
            for change in [UInt8(1), 0x80, 0xff] {
                var damaged = file
                damaged[index] ^= change
                guard let read = PartialFrames.response(in: damaged) else { continue }
                #expect(body.starts(with: read.response.body) && read.response.body.count < body.count)
                #expect(read.response.headers == response.headers)
            }
        }
    }

    @Test func `has each frame at its own place`() throws {
        var swapped = try #require(PartialFrames.head(of: response))
        let end = swapped.count
        swapped += PartialFrames.frame(parts[2], at: end + 12 + parts[1].count)
        swapped += PartialFrames.frame(parts[1], at: end)
        #expect(PartialFrames.response(in: swapped)?.response.body == Data())
    }
}
