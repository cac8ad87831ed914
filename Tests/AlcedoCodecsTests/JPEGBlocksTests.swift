import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import Testing

struct `Turning the blocks of a JPEG` {
    private let codec = JPEGCodec()

    private static let kinds = [
        "cmyk", "ycck", "grey", "grey-profile", "sampling-411", "sampling-420", "sampling-422",
        "sampling-440", "sampling-444", "progressive", "restart", "scans-arithmetic", "scans-cmyk",
        "scans-grey", "scalable", "odd-1x1", "odd-7x9", "odd-33x1",
    ]

    private func turned(
        _ file: [UInt8], _ turn: ImageOrientation, crop: PixelFrame? = nil, trims: Bool = true,
        limits: DecodeLimits = DecodeLimits()
    ) throws -> [UInt8] {
        try codec.transformed(
            file.span.bytes, by: BlockTransform(turn: turn, crop: crop, trims: trims), limits: limits)
    }

    private func region(_ file: [UInt8], _ turn: ImageOrientation, crop: PixelFrame? = nil) throws
        -> PixelFrame
    {
        try JPEGCodec.region(
            of: file.span.bytes, by: BlockTransform(turn: turn, crop: crop, trims: true))
    }

    /// The largest difference of a channel between two bitmaps, away from edges where chroma is interpolated.
    private func difference(_ a: Bitmap, _ b: Bitmap, margin: Int) -> Int {
        var largest = 0
        for y in margin..<max(margin, a.height - margin) {
            for x in margin..<max(margin, a.width - margin) {
                for channel in 0..<4 {
                    let index = (y * a.width + x) * 4 + channel
                    let pair = (Int(a.storage[index]), Int(b.storage[index]))
                    largest = max(largest, abs(pair.0 - pair.1))
                }
            }
        }
        return largest
    }

    /// Nothing is left of a picture without a whole block, unless the turn starts at its first one.
    private func expectNoWholeBlock(_ file: [UInt8], _ turn: ImageOrientation, _ size: PixelSize) {
        #expect(size.width < 16 || size.height < 16, "\(turn)")
        #expect(turn != .up && turn != .leftMirrored)
        let error = #expect(throws: CodecError.self) { try turned(file, turn) }
        #expect(error?.description.contains("no whole block") == true)
    }

    @Test(arguments: kinds)
    func `a JPEG rewritten without a turn has the same pixels`(_ name: String) throws {
        let file = try Fixture.data("made/\(name).jpg")
        let same = try turned(file, .up)
        #expect(try codec.decode(same).bgra == codec.decode(file).bgra)
        #expect(codec.profile(same) == codec.profile(file))
        // Progressive where the file is, with Huffman codes in place of arithmetic ones.
        let isProgressive = [0xC2, 0xCA].contains { file.firstRange(of: [0xFF, $0]) != nil }
        #expect((same.firstRange(of: [0xFF, 0xC2]) != nil) == isProgressive)
    }

    @Test(arguments: kinds, ImageOrientation.allCases)
    func `a JPEG turned by blocks has the turned pixels of whole blocks`(
        _ name: String, _ turn: ImageOrientation
    )
        throws
    {
        let file = try Fixture.data("made/\(name).jpg")
        let size = try codec.info(file).size
        guard let region = try? region(file, turn) else {
            expectNoWholeBlock(file, turn, size)
            return
        }
        let result = try codec.decode(turned(file, turn))
        #expect(result.size == PixelSize(width: region.width, height: region.height))
        let expected = try codec.decode(file).oriented(turn)
            .cropped(x: region.x, y: region.y, width: region.width, height: region.height)
        // Transposed cosines are rounded in another order, and colours at a cut are interpolated with other ones.
        #expect(difference(result, expected, margin: 2) <= 6, "\(name) \(turn)")
    }

    @Test(arguments: kinds, ImageOrientation.allCases)
    func `a JPEG turned by blocks and back has the first pixels exactly`(
        _ name: String, _ turn: ImageOrientation
    ) throws {
        let file = try Fixture.data("made/\(name).jpg")
        let inverse = try #require(ImageOrientation.allCases.first { turn.followed(by: $0) == .up })
        let size = try codec.info(file).size
        guard let once = try? turned(file, turn) else {
            expectNoWholeBlock(file, turn, size)
            return
        }
        // What a turn has trimmed is missing, and nothing else.
        let back = try turned(once, inverse)
        let whole = try codec.info(back).size
        let start = try turned(
            file, .up, crop: PixelFrame(x: 0, y: 0, width: whole.width, height: whole.height))
        #expect(try codec.decode(back).bgra == codec.decode(start).bgra, "\(name) \(turn) \(size)")
    }

    @Test func `a JPEG's crop by blocks grows to their borders, and has their pixels`() throws {
        // 117 × 83 pixels; blocks of 16.
        let file = try Fixture.data("made/sampling-420.jpg")
        let crop = PixelFrame(x: 40, y: 37, width: 50, height: 20)
        #expect(try region(file, .up, crop: crop) == PixelFrame(x: 32, y: 32, width: 58, height: 25))
        let whole = try codec.decode(file)
        let part = try codec.decode(turned(file, .up, crop: crop))
        #expect(
            try difference(part, whole.cropped(x: 32, y: 32, width: 58, height: 25), margin: 2) == 0)
        // Mirrored, blocks start 117 % 16 = 5 pixels from the left.
        #expect(try region(file, .upMirrored, crop: crop) == PixelFrame(x: 37, y: 32, width: 53, height: 25))
        // A quarter turn, so that the rows from the bottom are columns: 83 % 16 = 3.
        #expect(try region(file, .right, crop: crop) == PixelFrame(x: 35, y: 32, width: 48, height: 25))
        // Nothing has to be trimmed for a crop that leaves the first blocks out.
        _ = try turned(file, .upMirrored, crop: crop, trims: false)
    }

    @Test func `a JPEG's block that the edge cuts is rejected or trimmed where it would come first`() throws {
        let file = try Fixture.data("made/sampling-420.jpg")
        for turn in [ImageOrientation.up, .leftMirrored] { _ = try turned(file, turn, trims: false) }
        for turn in ImageOrientation.allCases where turn != .up && turn != .leftMirrored {
            #expect(throws: CodecError.self) { try turned(file, turn, trims: false) }
        }
        let error = #expect(throws: CodecError.self) { try turned(file, .upMirrored, trims: false) }
        #expect(error?.description.contains("its width of 117 pixels is no multiple of the 16") == true)
        #expect(try codec.info(turned(file, .upMirrored)).size == PixelSize(width: 112, height: 83))
        #expect(try codec.info(turned(file, .right)).size == PixelSize(width: 80, height: 117))
        let small = try Fixture.data("made/odd-7x9.jpg")
        let none = #expect(throws: CodecError.self) { try turned(small, .upMirrored) }
        #expect(none?.description.contains("no whole block") == true)
    }

    @Test func `turning the blocks of a damaged or unsupported JPEG fails, and limits count`() throws {
        let file = try Fixture.data("made/sampling-420.jpg")
        for count in stride(from: 0, to: file.count - 2, by: 97) {
            #expect(throws: CodecError.self) { try turned(Array(file.prefix(count)), .up) }
        }
        #expect(throws: CodecError.self) { try turned(Fixture.data("jpeg/monkey12.jpg"), .up) }
        #expect(throws: CodecError.limitExceeded(.pixels, value: 117 * 83, limit: 1000)) {
            try turned(file, .up, limits: DecodeLimits { $0.pixelsPerFrame = 1000 })
        }
        #expect(throws: CodecError.limitExceeded(.progressiveScans, value: 3, limit: 2)) {
            try turned(
                Fixture.data("made/progressive.jpg"), .up, limits: DecodeLimits { $0.progressiveScans = 2 })
        }
        #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
            try turned(file, .up, limits: DecodeLimits { $0.seconds = 0 })
        }
        // Scans are missing that the first ones announce.
        let progressive = try Fixture.data("made/progressive.jpg")
        #expect(throws: CodecError.truncated(.jpeg)) {
            try turned(Array(progressive.prefix(progressive.count / 2)), .up)
        }
    }

    @Test func `two turns of a picture in one are the turns after each other`() throws {
        let bitmap = try codec.decode(Fixture.data("made/odd-7x9.jpg"))
        for first in ImageOrientation.allCases {
            for second in ImageOrientation.allCases {
                let both = first.followed(by: second)
                #expect(
                    try bitmap.oriented(first).oriented(second).bgra == bitmap.oriented(both).bgra)
            }
        }
        #expect(ImageOrientation.right.followed(by: .right) == .down)
    }
}
