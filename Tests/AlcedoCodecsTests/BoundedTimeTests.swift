import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

struct `The time that decoding may take` {
    private static let stills =
        ["made/restart.jpg", "made/progressive.jpg", "made/cmyk-profile.jpg", "made/alpha.png"]
        + ["made/wide-gamut.png", "pngsuite/png/basi6a16.png", "made/lossy.webp", "made/wide-gamut.webp"]
        + ["gif/treescap-interlaced.gif", "made/animated-over.png", "made/animated.webp", "gif/fire.gif"]

    @Test(arguments: stills)
    func `the time limit ends decoding with an error that says how to raise it`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let error = CodecError.timeLimitExceeded(seconds: 0)
        #expect(throws: error) { try Shared.decode(bytes) { $0.limits.seconds = 0 } }
        #expect(error.description.contains("DecodeLimits.seconds"))
        #expect(throws: Never.self) { try Shared.info(bytes) }
        #expect(throws: Never.self) { try Shared.decode(bytes) { $0.limits.seconds = .infinity } }
    }

    @Test(arguments: ["made/animated-over.png", "made/animated.webp", "gif/fire.gif"])
    func `the time limit ends the decoding of an animation's frame`(_ path: String) throws {
        let options = DecodeOptions { $0.limits.seconds = 0 }
        let bytes = try Fixture.data(path)
        #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
            let decoder = try CodecRegistry.shared.frames(of: bytes.span.bytes, options: options)
            _ = try decoder.next()
        }
    }

    @Test(arguments: [-1, .nan, -.infinity, 1e300, 3e9])
    func `the time limit may be any number`(_ seconds: Double) throws {
        let bytes = try Fixture.data("made/restart.jpg")
        let isOver = (try? Shared.decode(bytes) { $0.limits.seconds = seconds }) == nil
        #expect(isOver == (seconds < 0))
    }
}

struct `Small files of much work` {
    /// A JPEG with many scans that change nothing.
    private func emptyScans(_ count: Int, in bytes: [UInt8]) throws -> [UInt8] {
        let start = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
        let end = try #require(bytes[start...].firstRange(of: [0xFF, 0xC4])).lowerBound
        // One code of one bit, for "no more in the next 16,384 blocks or so".
        let table: [UInt8] = [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0xE0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0, 1]
        let scans = (0..<count).flatMap { _ in scan }
        return Array(bytes[..<end]) + table + scans + [0xFF, 0xD9]
    }

    @Test func `a JPEG of empty scans stays within its limit`() throws {
        let bytes = try emptyScans(99, in: Fixture.data("made/scans-grey.jpg"))
        #expect(throws: Never.self) { try Shared.decode(bytes) }
        let more = try emptyScans(1000, in: Fixture.data("made/scans-grey.jpg"))
        let error = CodecError.limitExceeded(.progressiveScans, value: 101, limit: 100)
        #expect(throws: error) { try Shared.decode(more) }
    }

    @Test func `a GIF of 200,000 frames is walked but not decoded`() throws {
        var gif = GIFBuilder(width: 1, height: 1)
        let empty = gif.bytes
        gif.frame(0, 0, 1, 1, fill: 1)
        let frame = gif.bytes[empty.count...]
        var bytes = empty
        bytes.reserveCapacity(1 << 26)
        for _ in 0..<200_000 { bytes += frame }
        bytes.append(0x3B)
        #expect(try Shared.info(bytes).frameCount == 200_000)
        let error = CodecError.limitExceeded(.frames, value: 200_000, limit: 10_000)
        #expect(throws: error) { try Shared.frames(bytes) }
    }

    @Test func `a JPEG's profile in more pieces than can be numbered is none`() throws {
        let bytes = try Fixture.data("made/restart.jpg")
        let piece: [UInt8] = [0xFF, 0xE2, 0, 18] + Array("ICC_PROFILE\0".utf8) + [1, 1, 65, 66]
        let pieces = (0..<10_000).flatMap { _ in piece }
        let heavy = Array(bytes[..<2]) + pieces + Array(bytes[2...])
        #expect(Shared.profile(heavy) == nil)
        #expect(try Shared.decode(heavy).bgra == Shared.decode(bytes).bgra)
    }

    @Test(arguments: [
        "R0lGODlh/////wAAADs=",
        "iVBORw0KGgoAAAANSUhEUgAA//8AAP//CAYAAAAAAAAA",
        "/9j/wAARCP////8DASIAAhEBAxEB/9oADAMBAAIAAwAAPwA=",
        "UklGRhYAAABXRUJQVlA4WAoAAAAQAAAA/v8A/v8A",
    ])
    func `65,535 pixels a side are rejected from the header in every format`(_ base64: String) throws {
        let bytes = [UInt8](try #require(Data(base64Encoded: base64)))
        // Fewer might be made of all but a GIF without frames.
        let limit = base64.hasPrefix("R0lG") ? 50_000_000 : 250_000_000
        let error = CodecError.limitExceeded(.pixels, value: 65535 * 65535, limit: limit)
        #expect(throws: error) { try Shared.info(bytes) }
        #expect(throws: error) { try Shared.decode(bytes) }
        #expect(throws: error) { try Shared.frames(bytes) }
    }
}
