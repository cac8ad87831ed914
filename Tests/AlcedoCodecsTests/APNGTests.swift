import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct APNGTests {
    let codec = PNGCodec()

    /// All frames below each other, and how long they are shown.
    private func played(_ bytes: [UInt8]) throws -> (pixels: [UInt8], durations: [Double]) {
        let decoder = try codec.frames(bytes) { $0.keepsStraightAlpha = true }
        var played: (pixels: [UInt8], durations: [Double]) = ([], [])
        while let frame = try decoder.next() {
            played.pixels += frame.bitmap.bgra
            played.durations.append(frame.duration)
        }
        return played
    }

    private func sheet(_ name: String) throws -> [UInt8] {
        try codec.decode(Fixture.data("made/\(name).png")) { $0.keepsStraightAlpha = true }.bgra
    }

    @Test func `frames of an APNG are disposed of and blended as the specification says`() throws {
        let bytes = try Fixture.data("made/animated-over.png")
        let info = try codec.info(bytes)
        #expect(info.frameCount == 6 && info.loopCount == 0 && info.hasAlpha && info.isComplete)
        let (pixels, durations) = try played(bytes)
        #expect(durations == [1, 2, 5, 8, 11, 14].map { $0 / 25 })
        #expect(try codec.frameDurations(of: bytes.span.bytes, limits: DecodeLimits()) == durations)
        // Where nothing covers anything, the colour is anybody's choice.
        let reference = try sheet("animated-over.png")
        var most = 0
        for index in stride(from: 0, to: reference.count, by: 4) {
            most = max(most, abs(Int(pixels[index + 3]) - Int(reference[index + 3])))
            guard reference[index + 3] > 0 else { continue }
            for channel in 0..<3 {
                most = max(most, abs(Int(pixels[index + channel]) - Int(reference[index + channel])))
            }
        }
        #expect(pixels.count == reference.count && most <= 1, "\(most)")
    }

    @Test func `a still image beside an animation is no frame of it`() throws {
        let bytes = try Fixture.data("made/animated-palette.png")
        let info = try codec.info(bytes)
        #expect(info.frameCount == 5 - 1 && info.loopCount == 2)
        let (pixels, durations) = try played(bytes)
        let isExact = pixels == (try sheet("animated-palette.png"))
        #expect(isExact)
        #expect(durations == [0.1, 0.05, 0.03, 0.02])
        let first = try codec.decode(bytes).bgra
        #expect(first == [UInt8](pixels.prefix(first.count)))
    }

    @Test func `an APNG can be played again`() throws {
        let decoder = try codec.frames(Fixture.data("made/animated-over.png"))
        let first = try decoder.next()?.bitmap.bgra
        while try decoder.next() != nil {}
        decoder.rewind()
        #expect(try decoder.next()?.bitmap.bgra == first)
    }

    @Test(arguments: [
        ("acTL", 3, 7), ("fcTL", 3, 9), ("fcTL", 4, 1), ("fcTL", 12, 1), ("fcTL", 24, 3), ("fcTL", 25, 2),
    ])
    func `an APNG that breaks a rule is a still image`(name: String, offset: Int, value: UInt8) throws {
        var bytes = try Fixture.data("made/animated-over.png")
        let place = try #require(bytes.firstRange(of: Array(name.utf8))).upperBound
        bytes[place + offset] = value
        #expect(try codec.info(bytes).frameCount == 1)
        let still = try codec.decode(bytes) { $0.keepsStraightAlpha = true }
        #expect(still.bgra == [UInt8](try sheet("animated-over.png").prefix(still.byteCount)))
        #expect(try codec.frames(bytes).info.frameCount == 1)
    }

    @Test func `a frame of an APNG with a wrong checksum is damage`() throws {
        var bytes = try Fixture.data("made/animated-over.png")
        bytes[try #require(bytes.firstRange(of: Array("fdAT".utf8))).upperBound + 30] ^= 1
        let decoder = try codec.frames(bytes)
        #expect(try decoder.next() != nil)
        #expect(throws: CodecError.corrupt(.png, reason: "a frame's checksum is wrong")) {
            try decoder.next()
        }
    }

    @Test func `an APNG's palette with a wrong checksum is damage, its transparency is left out`() throws {
        let bytes = try Fixture.data("made/animated-indexed.png")
        let isExact = try played(bytes).pixels == sheet("animated-indexed.png")
        #expect(isExact)

        var damaged = bytes
        damaged[try #require(bytes.firstRange(of: Array("PLTE".utf8))).upperBound] ^= 1
        #expect(throws: CodecError.corrupt(.png, reason: "a chunk's checksum is wrong")) {
            try codec.frames(damaged)
        }

        damaged = bytes
        damaged[try #require(bytes.firstRange(of: Array("tRNS".utf8))).upperBound] ^= 1
        let decoder = try codec.frames(damaged)
        _ = try decoder.next()
        #expect(try decoder.next()?.bitmap.alpha == .opaque)
    }

    @Test func `frames of an APNG are counted against the limits`() throws {
        let bytes = try Fixture.data("made/animated-over.png")
        #expect(throws: CodecError.limitExceeded(.frames, value: 6, limit: 5)) {
            try codec.frames(bytes) { $0.limits.frames = 5 }
        }
        #expect(throws: Never.self) { try codec.decode(bytes) { $0.limits.frames = 5 } }
    }

    @Test func `the PNG codec writes animations that read back exactly`() throws {
        let bytes = try Fixture.data("made/animated-over.png")
        let source = try codec.frames(bytes) { $0.keepsStraightAlpha = true }
        let written = try codec.encode(frames: source, as: .png, options: EncodeOptions())
        let isEqual = try played(written).pixels == played(bytes).pixels
        #expect(isEqual)
        #expect(try played(written).durations == played(bytes).durations)
        #expect(try codec.info(written).loopCount == 0)
    }

    @Test func `the PNG codec writes a frame that changes nothing`() throws {
        let bitmap = try Bitmap.make(4, 3) { x, _ in x == 0 ? 0xFFFF_0000 : 0xFF00_FF00 }
        let frames = [0.5, 0.25].map { AnimationFrame(bitmap: bitmap, duration: $0) }
        let list = FrameList(frames, info: ImageInfo(format: .png, size: bitmap.size, loopCount: 3))
        let written = try codec.encode(frames: list, as: .png, options: EncodeOptions())
        let (pixels, durations) = try played(written)
        #expect(pixels == bitmap.bgra + bitmap.bgra && durations == [0.5, 0.25])
        #expect(try codec.info(written).loopCount == 3)
    }
}
