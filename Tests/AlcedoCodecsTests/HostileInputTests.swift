import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct HostileInputTests {
    private static let samples =
        Fixture.list("made").filter { path in
            ![".jpg.png", ".webp.png", ".gif.png", ".png.png"].contains(where: path.hasSuffix)
        }
        + ["gif/fire.gif", "gif/treescap-interlaced.gif", "jpeg/testimgari.jpg", "jpeg/testorig.jpg"]
        + ["pngsuite/png/basi6a16.png", "pngsuite/png/tbbn3p08.png"]

    /// Calls every method of a codec, until one throws.
    private func exercise(_ bytes: [UInt8]) throws {
        _ = Shared.profile(bytes)
        _ = try Shared.info(bytes)
        _ = try Shared.decode(bytes) { $0.atLeast = PixelSize(width: 5, height: 5) }
        let decoder = try Shared.frames(bytes)
        while try decoder.next() != nil {}
    }

    /// How many bytes have all the pixels: a JPEG can do without its end marker, and a PNG without what follows its image.
    private func neededCount(_ bytes: [UInt8], _ path: String) -> Int {
        if path.hasSuffix(".jpg") { return bytes.count - 2 }
        guard path.hasSuffix(".png") else { return bytes.count }
        let names = ["IDAT", "fdAT"].map { Array($0.utf8) }
        let last = bytes.indices.last { start in names.contains { bytes[start...].starts(with: $0) } } ?? 0
        return last + 8 + bytes[last - 4..<last].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(arguments: samples)
    func `a truncated file is an error, and says so in its header`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let needed = neededCount(bytes, path)
        let step = max(1, bytes.count / 40)
        for count in Array(stride(from: 0, to: bytes.count, by: step)) + [bytes.count - 1] {
            let cut = [UInt8](bytes.prefix(count))
            let info = try? Shared.info(cut)
            if path.hasSuffix(".gif"), info?.isComplete == true { continue }
            #expect(info?.isComplete != true, "\(count) bytes")
            if count >= needed { continue }
            #expect(throws: CodecError.self, "\(count) bytes") { try Shared.decode(cut) }
        }
        #expect(throws: Never.self) { try exercise(bytes) }
    }

    @Test(arguments: [
        "made/odd-7x9.jpg", "made/progressive.jpg", "made/animated-palette.png", "made/lossy-alpha.webp",
        "made/animated.webp", "gif/gifgrid.gif",
    ])
    func `a file truncated at any byte is an error or a picture`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        for count in 0..<bytes.count {
            do {
                try exercise([UInt8](bytes.prefix(count)))
            } catch {
                #expect(error is CodecError, "\(error)")
            }
        }
    }

    @Test func `a GIF's small canvas does not hide the work of large frames`() throws {
        var gif = GIFBuilder(width: 1, height: 1)
        gif.frame(0, 0, 1, 1, fill: 1)
        for _ in 0..<5 { gif.frame(0, 0, 40, 40, fill: 1) }
        gif.trailer()
        let decoder = try GIFCodec().frames(gif.bytes) {
            $0.limits.pixelsPerFrame = 1600
            $0.limits.pixelsPerAnimation = 4801
        }
        for _ in 0..<4 { #expect(try decoder.next() != nil) }
        #expect(throws: CodecError.limitExceeded(.animationPixels, value: 6401, limit: 4801)) {
            try decoder.next()
        }
    }

    @Test func `a PNG that announces 2³¹ frames is a still image`() throws {
        var bytes = try Fixture.data("made/animated-over.png")
        let place = try #require(bytes.firstRange(of: Array("acTL".utf8))).upperBound
        bytes.replaceSubrange(place..<(place + 4), with: [0x7F, 0xFF, 0xFF, 0xFF])
        #expect(try Shared.info(bytes).frameCount == 1)
        #expect(throws: Never.self) { try exercise(bytes) }
    }

    @Test(arguments: samples)
    func `damaged bytes of any format never do worse than throw`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        var random = SeededGenerator(seed: UInt64(bytes.count))
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<min(damaged.count, 4000), using: &random)
                damaged[index] = .random(in: 0...255, using: &random)
            }
            do {
                try exercise(damaged)
            } catch {
                #expect(error is CodecError, "\(error)")
            }
        }
    }

    @Test func `a PNG of 30000 by 30000 is rejected from its header`() throws {
        let header: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
            0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 1, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        let error = CodecError.limitExceeded(.pixels, value: 900_000_000, limit: 250_000_000)
        #expect(throws: error) { try Shared.info(header) }
        #expect(throws: error) { try Shared.decode(header) }
        #expect(throws: error) { try Shared.frames(header) }
    }

    @Test(arguments: [
        "made/progressive.jpg", "made/alpha.png", "made/lossy.webp", "made/animated.webp", "gif/fire.gif",
    ])
    func `pixels and bytes are limited in every format`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let area = try Shared.info(bytes).size.area
        let pixels = CodecError.limitExceeded(.pixels, value: area, limit: area - 1)
        #expect(throws: pixels) { try Shared.decode(bytes) { $0.limits.pixelsPerFrame = area - 1 } }
        let encoded = CodecError.limitExceeded(.encodedBytes, value: bytes.count, limit: bytes.count - 1)
        #expect(throws: encoded) { try Shared.decode(bytes) { $0.limits.encodedBytes = bytes.count - 1 } }
        #expect(throws: Never.self) {
            try Shared.decode(bytes) {
                $0.limits.pixelsPerFrame = area
                $0.limits.encodedBytes = bytes.count
            }
        }
    }

    @Test func `a JPEG of many scans is rejected`() throws {
        let bytes = try Fixture.data("made/progressive.jpg")
        let start = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
        let end = try #require(bytes[start...].firstRange(of: [0xFF, 0xC4])).lowerBound
        let scans = (0...200).flatMap { _ in bytes[start..<end] }
        let bomb = Array(bytes[..<start]) + scans + Array(bytes[end...])
        #expect(throws: CodecError.limitExceeded(.progressiveScans, value: 101, limit: 100)) {
            try Shared.decode(bomb)
        }
        #expect(throws: CodecError.limitExceeded(.progressiveScans, value: 3, limit: 2)) {
            try Shared.decode(bytes) { $0.limits.progressiveScans = 2 }
        }
        #expect(throws: Never.self) { try Shared.decode(bomb) { $0.limits.progressiveScans = 300 } }
    }

    @Test func `a JPEG that promises more rows than it has is truncated`() throws {
        var bytes = try Fixture.data("made/sampling-444.jpg")
        let frame = try #require(bytes.firstRange(of: [0xFF, 0xC0])).lowerBound
        bytes[frame + 5] = 1
        #expect(throws: CodecError.truncated(.jpeg)) { try Shared.decode(bytes) }
    }

    @Test func `rubbish after the end of a file is ignored`() throws {
        for path in ["made/progressive.jpg", "made/alpha.png", "made/lossy.webp", "gif/fire.gif"] {
            let bytes = try Fixture.data(path)
            let longer = bytes + [1, 2, 3, 0, 0, 0, 0, 0, 0]
            #expect(try Shared.info(longer).isComplete)
            #expect(try Shared.decode(longer).bgra == Shared.decode(bytes).bgra)
        }
    }

    @Test func `a PNG's text cannot break it, however long`() throws {
        let bytes = try Fixture.data("made/alpha.png")
        let words = [UInt8](repeating: 65, count: 1 << 20)
        let text = [0, 0x10, 0, 0] + Array("tEXt".utf8) + words + [0, 0, 0, 0]
        let heavy = Array(bytes[..<33]) + text + text + Array(bytes[33...])
        let bitmap = try Shared.decode(heavy) { $0.limits.metadataBytes = 1000 }
        #expect(bitmap.bgra == (try Shared.decode(bytes).bgra))
    }
}
