import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct WebPTests {
    let codec = WebPCodec()

    @Test func `every frame of a WebP is as the reference composes it`() throws {
        let sheet = try PNGCodec().decode(Fixture.data("made/animated.webp.png")) {
            $0.keepsStraightAlpha = true
        }
        let decoder = try codec.frames(Fixture.data("made/animated.webp")) { $0.keepsStraightAlpha = true }
        #expect(decoder.info.size == PixelSize(width: 60, height: 40))
        #expect(decoder.info.frameCount == 6)
        #expect(decoder.info.loopCount == 3)
        #expect(decoder.info.hasAlpha)
        var composed: [UInt8] = []
        var durations: [Double] = []
        while let frame = try decoder.next() {
            composed += frame.bitmap.bgra
            durations.append(frame.duration)
        }
        let isExact = composed == sheet.bgra
        #expect(isExact)
        #expect(durations == [0.04, 0.05, 0.06, 0.07, 0.08, 0.09])

        decoder.rewind()
        let first = try #require(try decoder.next())
        #expect(first.duration == 0.04)
        let isFirst = first.bitmap.bgra == [UInt8](composed.prefix(first.bitmap.byteCount))
        #expect(isFirst)
    }

    @Test func `decoding an animated WebP gives its first frame`() throws {
        let bytes = try Fixture.data("made/animated.webp")
        let first = try #require(try codec.frames(bytes).next()).bitmap
        #expect(try codec.decode(bytes).bgra == first.bgra)
    }

    @Test func `a WebP is premultiplied to nearest`() throws {
        let bytes = try Fixture.data("made/lossless-alpha.webp")
        let straight = try codec.decode(bytes) { $0.keepsStraightAlpha = true }.bgra
        let bitmap = try codec.decode(bytes)
        let expected = straight.indices.map { index -> UInt8 in
            let alpha = Int(straight[index | 3])
            return index % 4 == 3 ? straight[index] : UInt8((Int(straight[index]) * alpha + 127) / 255)
        }
        #expect(bitmap.alpha == .premultiplied)
        #expect(bitmap.bgra == expected)
    }

    @Test func `frames of a WebP are counted against the limits`() throws {
        let bytes = try Fixture.data("made/animated.webp")
        #expect(throws: CodecError.limitExceeded(.frames, value: 6, limit: 5)) {
            try codec.frames(bytes) { $0.limits.frames = 5 }
        }
    }

    @Test(arguments: [nil, 0.9])
    func `the WebP codec writes animations that read back`(_ quality: Double?) throws {
        let frames = try (0..<4).map { index in
            AnimationFrame(
                bitmap: try .make(32, 24) { x, _ in x / 8 == index ? 0xFFFF_0000 : 0xFF00_00FF },
                duration: Double(index + 1) / 10
            )
        }
        let bytes = try AnimatedWebP.encode(frames: frames, loopCount: 2, quality: quality)
        let decoder = try codec.frames(bytes)
        #expect(decoder.info.frameCount == 4)
        #expect(decoder.info.loopCount == 2)
        for frame in frames {
            let read = try #require(try decoder.next())
            #expect(read.duration == frame.duration)
            let difference = try #require(largestDifference(read.bitmap.bgra, frame.bitmap.bgra))
            #expect(difference <= (quality == nil ? 0 : 140))
        }
        #expect(try decoder.next() == nil)
    }

    @Test func `the WebP codec writes no animation without frames`() {
        #expect(throws: CodecError.self) { try AnimatedWebP.encode(frames: []) }
    }
}
