import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

private func first(_ count: Int, of bytes: [UInt8], _ configure: (inout DecodeOptions) -> Void = { _ in })
    throws -> Bitmap
{
    try Shared.decode(Array(bytes.prefix(count))) {
        $0.allowsTruncation = true
        configure(&$0)
    }
}

extension Bitmap {
    /// How many rows from the top have no transparent pixel.
    fileprivate var rowCount: Int {
        let bytes = bgra
        return (0..<height).first { row in (0..<width).contains { bytes[(row * width + $0) * 4 + 3] == 0 } }
            ?? height
    }

    fileprivate func rows(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bgra[(range.lowerBound * bytesPerRow)..<(range.upperBound * bytesPerRow)]
    }
}

struct `What there is of a truncated image` {
    private static let files = [
        "made/restart.jpg", "made/sampling-420.jpg", "made/cmyk-profile.jpg", "made/progressive.jpg",
        "made/scans-arithmetic.jpg", "made/scans-cmyk.jpg", "made/alpha.png", "made/wide-gamut.png",
        "pngsuite/png/basi2c08.png", "pngsuite/png/basi6a16.png", "pngsuite/png/basi3p02.png",
        "pngsuite/png/basn3p04.png", "pngsuite/png/tbbn0g04.png", "made/animated-over.png",
        "made/lossy.webp", "made/lossless.webp", "made/lossy-alpha.webp", "made/lossless-alpha.webp",
        "made/wide-gamut.webp", "made/turned.webp", "made/animated.webp",
    ]

    @Test(arguments: files)
    func `a truncated image is the image, rows of it, or an error, wherever it ends`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let size = try Shared.info(bytes).size
        var decoded = 0
        let step = max(1, bytes.count / 150)
        for count in stride(from: 0, to: bytes.count, by: step) {
            for keepsStraightAlpha in [false, true] {
                do {
                    let bitmap = try first(count, of: bytes) { $0.keepsStraightAlpha = keepsStraightAlpha }
                    #expect(bitmap.size == size && (bitmap.alpha != .straight || keepsStraightAlpha))
                    decoded += 1
                } catch let error as CodecError {
                    #expect(error.isDamage, "\(count) bytes: \(error)")
                }
            }
        }
        #expect(path == "made/animated.webp" ? decoded == 0 : decoded > 30)
    }

    @Test(arguments: files.filter { !$0.contains("scans-") })
    func `a truncated image is whole if nothing is missing`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        #expect(try first(bytes.count, of: bytes).hasSamePixels(as: Shared.decode(bytes)))
    }

    @Test(arguments: [
        "made/restart.jpg", "made/sampling-420.jpg", "pngsuite/png/basn2c16.png",
        "made/lossless.webp", "made/lossy.webp", "made/wide-gamut.webp",
    ])
    func `a truncated image stored row by row has its first rows`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let whole = try Shared.decode(bytes)
        var counts: Set<Int> = []
        for percent in stride(from: 20, to: 100, by: 10) {
            guard let bitmap = try? first(bytes.count * percent / 100, of: bytes) else { continue }
            let count = bitmap.rowCount
            counts.insert(count)
            #expect(bitmap.rows(0..<count) == whole.rows(0..<count))
            #expect(bitmap.rows(count..<bitmap.height).allSatisfy { $0 == 0 })
            #expect(count == bitmap.height || bitmap.alpha == .premultiplied)
        }
        #expect(counts.count > 1, "\(counts.sorted())")
    }

    @Test func `a truncated image is coarse everywhere if it is an interlaced PNG`() throws {
        let bytes = try Fixture.data("pngsuite/png/basi2c08.png")
        let whole = try Shared.decode(bytes)
        var last = Double.infinity
        var isCoarseAtFirst = false
        for count in stride(from: 60, to: bytes.count, by: 1) {
            guard let bitmap = try? first(count, of: bytes), bitmap.alpha == .opaque else { continue }
            let error = bitmap.meanDifference(to: whole)
            if last == .infinity { isCoarseAtFirst = error > 0 }
            #expect(error <= last)
            last = error
        }
        #expect(isCoarseAtFirst && last < .infinity)
        // The first pixel of each block of eight is right at once.
        let coarse = try #require(
            (60..<bytes.count).lazy.compactMap { try? first($0, of: bytes) }.first { $0.alpha == .opaque })
        for (x, y) in [(0, 0), (8, 0), (24, 16)] {
            let offset = y * whole.bytesPerRow + x * 4
            #expect(coarse.bgra[offset..<(offset + 4)] == whole.bgra[offset..<(offset + 4)])
            #expect(coarse.bgra[offset..<(offset + 4)] == coarse.bgra[(offset + 4)..<(offset + 8)])
        }
    }

    @Test(
        arguments: ["progressive.jpg"]
            + ["arithmetic", "cmyk", "grey", "profile", "restart"].map { "scans-\($0).jpg" })
    func `a truncated JPEG is its complete scans, as in a file that ends there`(_ file: String) throws {
        let scans = try Scans("made/\(file)")
        #expect(scans.starts.count > 3)
        let whole = try Shared.decode(scans.bytes)
        var differences: [Double] = []
        for start in scans.starts.dropFirst() {
            let ended = Array(scans.bytes[..<start]) + [0xFF, 0xD9]
            for size in [nil, PixelSize(width: 40, height: 30)] {
                let bitmap = try first(start, of: scans.bytes) { $0.atLeast = size }
                #expect(bitmap.bgra == (try Shared.decode(ended) { $0.atLeast = size }).bgra)
            }
            differences.append(try first(start, of: scans.bytes).meanDifference(to: whole))
        }
        #expect(try #require(differences.last) < differences[0])
    }

    @Test func `a truncated image is bound by the limits`() throws {
        for path in ["made/progressive.jpg", "made/restart.jpg", "made/alpha.png", "made/lossy.webp"] {
            let bytes = try Fixture.data(path)
            let area = try Shared.info(bytes).size.area
            #expect(throws: CodecError.limitExceeded(.pixels, value: area, limit: area - 1)) {
                try first(bytes.count / 2, of: bytes) {
                    $0.limits.pixelsPerFrame = area - 1
                    $0.limits.storedPixelsPerFrame = area - 1
                }
            }
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
                try first(bytes.count * 2 / 3, of: bytes) { $0.limits.seconds = 0 }
            }
            #expect(throws: CodecError.limitExceeded(.encodedBytes, value: 100, limit: 99)) {
                try first(100, of: bytes) { $0.limits.encodedBytes = 99 }
            }
        }
        let scans = try Scans("made/progressive.jpg")
        #expect(throws: CodecError.limitExceeded(.progressiveScans, value: 3, limit: 2)) {
            try first(scans.bytes.count, of: scans.bytes) { $0.limits.progressiveScans = 2 }
        }
    }

    @Test(arguments: files)
    func `a truncated image may be damaged too`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<150 {
            var bytes = bytes.prefix(Int.random(in: bytes.count / 4..<bytes.count, using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let bitmap = try? first(bytes.count, of: Array(bytes)) else { continue }
            #expect(bitmap.size == (try? Shared.info(Array(bytes)))?.size)
        }
    }

    @Test func `a truncated animation is not its hidden image`() throws {
        let bytes = try Fixture.data("made/animated-over.png")
        let control = try #require(bytes.firstRange(of: Array("fcTL".utf8))).lowerBound
        let image = try #require(bytes.firstRange(of: Array("IDAT".utf8))).lowerBound
        #expect(control < image)
        #expect(throws: Never.self) { try first(bytes.count / 2, of: bytes) }
        // Without its control chunk the image is none of the frames.
        let hidden = Array(bytes[..<(control - 4)] + bytes[(control + 34)...])
        #expect(throws: CodecError.truncated(.png)) { try first(hidden.count / 2, of: hidden) }
    }

    @Test func `a truncated image is an error unless it is asked for, and in other formats`() throws {
        for path in ["made/progressive.jpg", "made/restart.jpg", "made/alpha.png", "made/lossy.webp"] {
            let bytes = try Fixture.data(path)
            let half = Array(bytes.prefix(bytes.count / 2))
            #expect(throws: CodecError.self) { try Shared.decode(half) }
        }
        let gif = try Fixture.data("gif/wedge.gif")
        #expect(throws: CodecError.self) { try first(gif.count / 2, of: gif) }
        #expect(!GIFCodec().decodesTruncated && !BMPCodec().decodesTruncated)
    }
}

/// A JPEG and where its scans start.
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
}
