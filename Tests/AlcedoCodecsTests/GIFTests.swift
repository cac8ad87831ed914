import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct GIFTests {
    let codec = GIFCodec()

    /// The frames as strings, a character a pixel: `.` is transparent, then `K`, `R`, `G`, `B`.
    private func drawn(_ gif: GIFBuilder) throws -> [String] {
        let decoder = try codec.frames(gif.bytes)
        var frames: [String] = []
        while let frame = try decoder.next() {
            let pixels = frame.bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
            frames.append(
                String(
                    pixels.map { pixel -> Character in
                        if pixel == 0 { return "." }
                        return GIFBuilder.colors.firstIndex(of: pixel).map { Array("KRGB")[$0] } ?? "?"
                    }
                )
            )
        }
        return frames
    }

    @Test func `a GIF's frame smaller than the canvas leaves the rest transparent`() throws {
        var gif = GIFBuilder(width: 3, height: 2)
        gif.frame(1, 0, 1, 2, fill: 1)
        gif.trailer()
        #expect(try drawn(gif) == [".R..R."])
        #expect(try codec.info(gif.bytes).hasAlpha)
        #expect(try codec.decode(gif.bytes).alpha == .premultiplied)
    }

    @Test func `a GIF's frame that covers the canvas is opaque`() throws {
        var gif = GIFBuilder(width: 2, height: 1)
        gif.frame(0, 0, 2, 1, [2, 3])
        gif.trailer()
        #expect(try drawn(gif) == ["GB"])
        #expect(try codec.info(gif.bytes).hasAlpha == false)
        #expect(try codec.decode(gif.bytes).alpha == .opaque)
    }

    @Test(arguments: [(0, "RGRR"), (1, "RGRR"), (2, "R.RR"), (3, "RRRR"), (4, "RRRR"), (7, "RGRR")])
    func `a GIF's second frame is disposed of as the file says`(_ disposal: Int, _ left: String) throws {
        var gif = GIFBuilder(width: 4, height: 1)
        gif.control(disposal: 1)
        gif.frame(0, 0, 4, 1, fill: 1)
        gif.control(disposal: disposal)
        gif.frame(1, 0, 1, 1, fill: 2)
        gif.control(transparent: 0)
        gif.frame(0, 0, 1, 1, fill: 0)
        gif.trailer()
        #expect(try drawn(gif) == ["RRRR", "RGRR", left])
    }

    @Test func `transparent pixels of a GIF show what is below`() throws {
        var gif = GIFBuilder(width: 3, height: 1)
        gif.frame(0, 0, 3, 1, fill: 1)
        gif.control(transparent: 3)
        gif.frame(0, 0, 3, 1, [3, 2, 3])
        gif.frame(0, 0, 3, 1, [3, 2, 3])
        gif.trailer()
        #expect(try drawn(gif) == ["RRR", "RGR", "BGB"])
    }

    @Test func `a GIF's frame has its own colours`() throws {
        var gif = GIFBuilder(width: 2, height: 1)
        gif.frame(0, 0, 2, 1, [0, 1], colors: [0xFF00_00FF, 0xFF00_FF00, 0xFF00_0000, 0xFF00_0000])
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.trailer()
        #expect(try drawn(gif) == ["BG", "RG"])
    }

    @Test func `interlaced rows of a GIF find their places`() throws {
        var gif = GIFBuilder(width: 1, height: 9)
        gif.frame(0, 0, 1, 9, [1, 1, 2, 3, 3, 0, 0, 0, 0], interlaced: true)
        gif.trailer()
        #expect(try drawn(gif) == ["RKBKGKBKR"])
    }

    @Test func `frames beyond a GIF's canvas are clipped`() throws {
        var gif = GIFBuilder(width: 2, height: 2)
        gif.frame(0, 0, 1, 1, fill: 0)
        gif.control(disposal: 2)
        gif.frame(1, 1, 5, 5, fill: 1)
        gif.control(disposal: 2)
        gif.frame(7, 0, 1, 1, fill: 2)
        gif.control(disposal: 3)
        gif.frame(0, 9, 2, 2, fill: 2)
        gif.frame(0, 0, 1, 1, fill: 3)
        gif.trailer()
        #expect(try drawn(gif) == ["K...", "K..R", "K...", "K...", "B..."])
    }

    @Test func `a GIF's frame without pixels is still a frame`() throws {
        var gif = GIFBuilder(width: 1, height: 1)
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.frame(0, 0, 0, 0, [])
        gif.frame(0, 0, 1, 1, fill: 2)
        gif.trailer()
        #expect(try drawn(gif) == ["R", "R", "G"])
        #expect(try codec.info(gif.bytes).frameCount == 3)
    }

    @Test func `delays and loops of a GIF are the file's`() throws {
        var gif = GIFBuilder(width: 1, height: 1, loop: 2)
        gif.control(delay: 0)
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.control(delay: 257)
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.trailer()
        let decoder = try codec.frames(gif.bytes)
        #expect(try decoder.next()?.duration == 0)
        #expect(try decoder.next()?.duration == 2.57)
        #expect(try decoder.next() == nil)
        #expect(decoder.info.loopCount == 3)
        decoder.rewind()
        #expect(try decoder.next()?.duration == 0)

        var endless = GIFBuilder(width: 1, height: 1, loop: 0)
        endless.frame(0, 0, 1, 1, fill: 1)
        endless.frame(0, 0, 1, 1, fill: 1)
        #expect(try codec.info(endless.bytes).loopCount == 0)
    }

    @Test func `rewinding a GIF starts from a clean canvas`() throws {
        var gif = GIFBuilder(width: 2, height: 1)
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.frame(1, 0, 1, 1, fill: 2)
        gif.trailer()
        let decoder = try codec.frames(gif.bytes)
        let first = try #require(try decoder.next()).bitmap.bgra
        while try decoder.next() != nil {}
        decoder.rewind()
        #expect(try decoder.next()?.bitmap.bgra == first)
    }

    @Test func `a GIF's missing trailer is ignored, a missing end of a frame is not`() throws {
        var gif = GIFBuilder(width: 2, height: 2)
        gif.frame(0, 0, 2, 2, fill: 1)
        #expect(try codec.info(gif.bytes).isComplete)
        #expect(try drawn(gif) == ["RRRR"])
        for count in 10..<gif.bytes.count {
            let cut = [UInt8](gif.bytes.prefix(count))
            #expect(throws: CodecError.truncated(.gif)) { try codec.decode(cut) }
        }
    }

    @Test func `rubbish after a GIF's frame ends the image`() throws {
        var gif = GIFBuilder(width: 1, height: 1)
        gif.frame(0, 0, 1, 1, fill: 1)
        let bytes = gif.bytes + [0, 1, 2, 3]
        #expect(try codec.info(bytes).isComplete)
        let decoder = try codec.frames(bytes)
        #expect(try decoder.next() != nil)
        #expect(try decoder.next() == nil)
    }

    /// The screen, the first frame, and the canvas that shows both.
    private static let screens: [(screen: [Int], frame: [Int], pixels: [String])] = [
        ([0, 0], [0, 0, 3, 2], ["RRR", "RRR"]),
        ([0, 2], [0, 0, 3, 2], ["RRR", "RRR"]),
        ([3, 1], [0, 0, 2, 2], ["RR.", "RR."]),
        ([2, 2], [1, 1, 2, 2], ["...", ".RR", ".RR"]),
        ([2, 2], [3, 0, 1, 1], ["...R", "...."]),
    ]

    @Test(arguments: screens.indices)
    func `a GIF's first frame is whole, whatever the screen is`(_ index: Int) throws {
        let (screen, frame, pixels) = Self.screens[index]
        var gif = GIFBuilder(width: screen[0], height: screen[1])
        gif.frame(frame[0], frame[1], frame[2], frame[3], fill: 1)
        let size = PixelSize(width: pixels[0].count, height: pixels.count)
        let info = try codec.info(gif.bytes)
        #expect(info.size == size && info.isComplete)
        #expect(info.hasAlpha == pixels.joined().contains("."))
        #expect(try drawn(gif) == [pixels.joined()])
        #expect(try codec.decode(gif.bytes).size == size)
        let bands = try codec.frames(gif.bytes) { $0.inBands = true }
        #expect(try bands.next()?.bitmap.bgra == codec.decode(gif.bytes).bgra)
        // Later frames are clipped.
        gif.frame(0, 0, 9, 9, fill: 2)
        #expect(try codec.info(gif.bytes).size == size)
        #expect(try drawn(gif) == [pixels.joined(), String(repeating: "G", count: size.area)])
    }

    @Test
    func `a GIF's empty screen is damaged without pixels, and truncated before the first frame`() throws {
        var gif = GIFBuilder(width: 0, height: 0)
        let start = gif.bytes
        for count in 6...start.count {
            #expect(throws: CodecError.truncated(.gif)) { try codec.info(Array(start[..<count])) }
        }
        gif.frame(0, 0, 0, 4, [])
        #expect(throws: CodecError.corrupt(.gif, reason: "its size is 0×0")) { try codec.info(gif.bytes) }
        gif = GIFBuilder(width: 0, height: 0)
        gif.frame(0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, [])
        #expect(throws: CodecError.limitExceeded(.pixels, value: 0x1FFFE * 0x1FFFE, limit: 250_000_000)) {
            try codec.info(gif.bytes)
        }
    }

    @Test func `a GIF's frame far larger than its canvas is rejected`() throws {
        var gif = GIFBuilder(width: 1, height: 1)
        gif.frame(0, 0, 40, 40, fill: 1)
        gif.trailer()
        let error = CodecError.limitExceeded(.pixels, value: 1600, limit: 1000)
        #expect(throws: error) { try codec.decode(gif.bytes) { $0.limits.pixelsPerFrame = 1000 } }
    }

    @Test func `frames of a GIF are counted against the limits`() throws {
        var gif = GIFBuilder(width: 10, height: 10)
        for _ in 0..<5 { gif.frame(0, 0, 1, 1, fill: 1) }
        gif.trailer()
        #expect(throws: CodecError.limitExceeded(.frames, value: 5, limit: 4)) {
            try codec.frames(gif.bytes) { $0.limits.frames = 4 }
        }
        #expect(throws: CodecError.limitExceeded(.animationPixels, value: 500, limit: 499)) {
            try codec.frames(gif.bytes) { $0.limits.pixelsPerAnimation = 499 }
        }
        #expect(try codec.decode(gif.bytes) { $0.limits.frames = 1 }.size == PixelSize(width: 10, height: 10))
    }

    @Test(arguments: ["fire", "welcome2"])
    func `every frame of a GIF is as the reference composes it`(_ name: String) throws {
        let sheet = try PNGCodec().decode(Fixture.data("made/\(name).gif.png")) {
            $0.keepsStraightAlpha = true
        }
        let decoder = try codec.frames(Fixture.data("gif/\(name).gif"))
        var composed: [UInt8] = []
        while let frame = try decoder.next() { composed += frame.bitmap.bgra }
        let isExact = composed == sheet.bgra
        #expect(isExact)
        #expect(composed.count == decoder.info.size.area * 4 * decoder.info.frameCount)
    }

    @Test(arguments: Fixture.list("gif", withExtension: "gif"))
    func `giflib's pictures decode`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let decoder = try codec.frames(bytes)
        var count = 0
        while let frame = try decoder.next() {
            count += 1
            #expect(frame.bitmap.size == decoder.info.size)
        }
        #expect(count == decoder.info.frameCount)
    }

    @Test func `interlaced and progressive GIFs of a picture are equal`() throws {
        let one = try codec.decode(Fixture.data("gif/treescap.gif")).bgra
        let other = try codec.decode(Fixture.data("gif/treescap-interlaced.gif")).bgra
        #expect(one == other)
    }
}
