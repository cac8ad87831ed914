import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// A JPEG with where its scans begin; the last one is not among them.
private struct Scans {
    let bytes: [UInt8]
    let starts: [Int]

    init(_ path: String) throws {
        bytes = try Fixture.data(path)
        var starts: [Int] = []
        var offset = 2
        while offset + 4 <= bytes.count {
            if bytes[offset] == 0xFF, bytes[offset + 1] == 0xDA {
                starts.append(offset)
            } else if bytes[offset] != 0xFF || bytes[offset + 1] == 0 || bytes[offset + 1] & 0xF8 == 0xD0 {
                offset += 1
                continue
            }
            offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
        }
        self.starts = starts
    }

    /// What ends with `count` scans.
    func cut(_ count: Int) -> [UInt8] {
        count < starts.count ? bytes.prefix(starts[count]) + [0xFF, 0xD9] : bytes
    }

    /// Where everything is known that `count` scans need, and libjpeg needs to believe it.
    func end(_ count: Int) -> Int { count < starts.count ? starts[count] + 2 : bytes.count }
}

struct `Decoding scan by scan` {
    private static let files =
        ["progressive.jpg"]
        + ["arithmetic", "cmyk", "grey", "profile", "restart"].map { "scans-\($0).jpg" }

    @Test(arguments: files)
    func `shows what a file would that ends there`(_ file: String) throws {
        let scans = try Scans("made/\(file)")
        #expect(scans.starts.count > 3)
        for options in [DecodeOptions(), DecodeOptions { $0.atLeast = PixelSize(width: 40, height: 30) }] {
            let decoder = JPEGScanDecoder(options: options)
            var position = 0
            for count in 1...scans.starts.count {
                decoder.append(Array(scans.bytes[position..<scans.end(count)]))
                position = scans.end(count)
                let picture = try #require(try decoder.picture(scans: count))
                let whole = try JPEGCodec().decode(of: scans.cut(count), options)
                #expect(picture.size == whole.size)
                #expect(picture.bgra == whole.bgra, "\(count) scans")
            }
            #expect(decoder.orientation == (try JPEGCodec().info(scans.bytes).orientation))
        }
    }

    @Test(arguments: files)
    func `passes over scans that nobody asked for`(_ file: String) throws {
        let scans = try Scans("made/\(file)")
        let decoder = JPEGScanDecoder()
        decoder.append(scans.bytes)
        for count in [2, scans.starts.count] {
            #expect(try decoder.picture(scans: count)?.bgra == JPEGCodec().decode(scans.cut(count)).bgra)
        }
        #expect(try decoder.picture(scans: 1)?.bgra == JPEGCodec().decode(scans.bytes).bgra)
    }

    @Test(arguments: files.filter { !$0.contains("arithmetic") })
    func `takes bytes one at a time and reads each once`(_ file: String) throws {
        let scans = try Scans("made/\(file)")
        let decoder = JPEGScanDecoder()
        var count = 1
        for (index, byte) in scans.bytes.enumerated() {
            decoder.append([byte])
            guard let picture = try decoder.picture(scans: count) else { continue }
            // A scan whose last bits are padding is known to be complete before its successor's marker.
            #expect(index < scans.end(count))
            #expect(picture.bgra == (try JPEGCodec().decode(scans.cut(count)).bgra), "\(count) scans")
            #expect(decoder.decodedBytes <= index + 1)
            count += 1
            if count > scans.starts.count { break }
        }
        #expect(count == scans.starts.count + 1)
        #expect(decoder.decodedBytes > scans.bytes.count - 5)
    }

    @Test func `decodes as many bytes as there are, however many pictures are made of them`() throws {
        let scans = try Scans("made/progressive.jpg")
        let decoder = JPEGScanDecoder()
        decoder.append(scans.bytes)
        for count in 1...scans.starts.count {
            #expect(try decoder.picture(scans: count) != nil)
            #expect(decoder.decodedBytes <= scans.end(count))
        }
    }

    @Test func `refuses what it may not keep before it takes memory`() throws {
        // 117 × 83 in blocks of 16 × 16 is 8 × 6, of which each has six blocks of 64 coefficients.
        let needed = 8 * 6 * 6 * 64 * 2
        let bytes = try Fixture.data("made/progressive.jpg")
        func picture(limit: Int) throws -> Bitmap? {
            let decoder = JPEGScanDecoder(options: DecodeOptions { $0.limits.progressiveBytes = limit })
            decoder.append(bytes)
            return try decoder.picture(scans: 2)
        }
        #expect(try picture(limit: needed) != nil)
        let error = CodecError.limitExceeded(.progressiveBytes, value: needed, limit: needed - 1)
        #expect(throws: error) { try picture(limit: needed - 1) }
    }

    @Test func `keeps to the other limits, and to its first error`() throws {
        let bytes = try Fixture.data("made/progressive.jpg")
        func refusal(_ configure: (inout DecodeLimits) -> Void) -> CodecError? {
            let decoder = JPEGScanDecoder(options: DecodeOptions { configure(&$0.limits) })
            decoder.append(bytes)
            let first = #expect(throws: CodecError.self) { try decoder.picture(scans: 5) }
            let second = #expect(throws: CodecError.self) { try decoder.picture(scans: 5) }
            #expect(first == second)
            return first
        }
        let area = 117 * 83
        #expect(
            refusal { $0.pixelsPerFrame = area - 1 }
                == .limitExceeded(.pixels, value: area, limit: area - 1))
        #expect(
            refusal { $0.progressiveScans = 2 } == .limitExceeded(.progressiveScans, value: 3, limit: 2))
        #expect(
            refusal { $0.encodedBytes = 100 } == .limitExceeded(.encodedBytes, value: bytes.count, limit: 100)
        )
        #expect(refusal { $0.seconds = 0 } == .timeLimitExceeded(seconds: 0))
    }

    @Test func `has no picture of scans that do not come`() throws {
        let bytes = try Fixture.data("made/restart.jpg")
        let decoder = JPEGScanDecoder()
        decoder.append(bytes)
        #expect(try decoder.picture(scans: 1)?.bgra == JPEGCodec().decode(bytes).bgra)
        #expect(throws: CodecError.corrupt(.jpeg, reason: "it has fewer scans")) {
            try decoder.picture(scans: 2)
        }
    }

    @Test(arguments: files)
    func `survives damage as the whole decoder does`(_ file: String) throws {
        let scans = try Scans("made/\(file)")
        var random = SplitMix(state: 7)
        for _ in 0..<150 {
            var bytes = scans.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let decoder = JPEGScanDecoder()
            decoder.append(bytes)
            let picture = try? decoder.picture(scans: scans.starts.count)
            guard let whole = try? JPEGCodec().decode(bytes), let picture else { continue }
            #expect(picture.size == whole.size)
        }
    }
}

extension JPEGCodec {
    fileprivate func decode(of bytes: [UInt8], _ options: DecodeOptions) throws -> Bitmap {
        try decode(bytes) { $0 = options }
    }
}
