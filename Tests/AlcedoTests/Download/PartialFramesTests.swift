import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo

struct `A file of a body that broke off` {
    /// Without encryption, and with it.
    private static let formats = [
        PartialFrames(name: "a.partial"),
        PartialFrames(
            name: "a.partial",
            transform: try? AESGCMTransform(keys: ["1": Data(repeating: 7, count: 32)], current: "1")),
    ]

    private let response: PartialResponse
    private let parts = [Data([1, 2, 3]), Data([4]), Data("the last part".utf8)]
    private var body: Data { parts[0] + parts[1] + parts[2] }

    init() throws { response = try Self.response(tag: "\"1\"") }

    private static func response(tag: String) throws -> PartialResponse {
        let head = TransportResponse(
            url: try #require(URL(string: "http://x/a")), status: 200, headers: [(name: "ETag", value: tag)],
            expectedBytes: 100_000)
        return try #require(PartialResponse(head))
    }

    private func file(_ frames: PartialFrames) throws -> Data {
        var file = try frames.head(of: response)
        for part in parts { file += try frames.frame(part, at: file.count, of: response) }
        return file
    }

    @Test(arguments: formats)
    func `a partial body's file is read as it was written`(frames: PartialFrames) throws {
        let file = try file(frames)
        let read = try #require(frames.response(in: file))
        #expect(read.response.body == body)
        #expect(read.response.urlDigest == response.urlDigest && read.response.total == 100_000)
        #expect(read.response.headers == response.headers)
        #expect(read.end == file.count)
    }

    @Test func `a partial body's file does not have the URL, which may have a credential`() throws {
        let url = try #require(URL(string: "https://birds.test/heron.png?token=s3cret"))
        let head = TransportResponse(
            url: url, status: 200, headers: [(name: "ETag", value: "\"1\"")], expectedBytes: 100_000)
        let file = try Self.formats[0].head(of: try #require(PartialResponse(head)))
        #expect(file.firstRange(of: Data("ETag".utf8)) != nil)
        for part in ["birds", "heron", "token", "s3cret"] {
            #expect(file.firstRange(of: Data(part.utf8)) == nil)
        }
    }

    @Test(arguments: formats)
    func `a partial body's file gives a prefix of the body wherever it is cut`(frames: PartialFrames) throws {
        let file = try file(frames)
        for count in 0..<file.count {
            guard let read = frames.response(in: file.prefix(count)) else { continue }
            #expect(body.starts(with: read.response.body) && read.end <= count)
        }
        #expect(frames.response(in: Data()) == nil)
    }

    @Test(arguments: formats)
    func `a partial body's file gives a prefix of the body whichever byte is wrong`(frames: PartialFrames)
        throws
    {
        let file = try file(frames)
        for index in file.indices {
            for change in [UInt8(1), 0x80, 0xff] {
                var damaged = file
                damaged[index] ^= change
                guard let read = frames.response(in: damaged) else { continue }
                #expect(body.starts(with: read.response.body) && read.response.body.count < body.count)
                #expect(read.response.headers == response.headers)
            }
        }
    }

    @Test(arguments: formats)
    func `a partial body's file has each frame at its own place`(frames: PartialFrames) throws {
        var swapped = try frames.head(of: response)
        let end = swapped.count
        swapped += try frames.frame(parts[2], at: end + 12 + parts[1].count, of: response)
        swapped += try frames.frame(parts[1], at: end, of: response)
        #expect(frames.response(in: swapped)?.response.body == Data())
    }

    @Test
    func `an encrypted partial body is hidden, and opens only for its own name, response and key`() throws {
        let frames = try #require(Self.formats.last)
        let sealed = try file(frames)
        #expect(sealed.range(of: Data("last part".utf8)) == nil && sealed.range(of: Data("http".utf8)) == nil)
        var (other, otherKey) = (frames, frames)
        other.name = "b.partial"
        #expect(other.response(in: sealed) == nil)
        otherKey.transform = try AESGCMTransform(keys: ["1": Data(repeating: 8, count: 32)], current: "1")
        #expect(otherKey.response(in: sealed) == nil)
        #expect(Self.formats[0].response(in: sealed) == nil)
        // A frame of a former response at the same place.
        var spliced = try frames.head(of: response)
        spliced += try frames.frame(parts[0], at: spliced.count, of: Self.response(tag: "\"2\""))
        #expect(frames.response(in: spliced)?.response.body == Data())
    }
}
