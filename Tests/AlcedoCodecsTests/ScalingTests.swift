import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct ScalingTests {
    struct Case {
        var wanted: PixelSize
        var expected: PixelSize

        init(_ wantedWidth: Int, _ wantedHeight: Int, _ width: Int, _ height: Int) {
            wanted = PixelSize(width: wantedWidth, height: wantedHeight)
            expected = PixelSize(width: width, height: height)
        }
    }

    @Test(arguments: [
        Case(400, 300, 400, 300), Case(399, 300, 400, 300), Case(351, 1, 400, 300), Case(350, 263, 400, 300),
        Case(300, 225, 400, 300), Case(200, 150, 200, 150), Case(201, 150, 400, 300), Case(50, 38, 50, 38),
        Case(50, 39, 100, 75), Case(1, 1, 50, 38), Case(0, 0, 50, 38), Case(4000, 10, 400, 300),
    ])
    func `a scaled JPEG comes in the fewest eighths that are fast`(_ sizes: Case) throws {
        let bitmap = try Shared.decode(Fixture.data("made/scalable.jpg")) { $0.atLeast = sizes.wanted }
        #expect(bitmap.size == sizes.expected)
    }

    @Test(arguments: [
        Case(800, 600, 1200, 900), Case(1201, 900, 1500, 1125), Case(1600, 1200, 1800, 1350),
        Case(1801, 1350, 2400, 1800),
    ])
    func `a large scaled JPEG comes in five or six eighths, for its memory`(_ sizes: Case) throws {
        var builder = try PixelBuilder(size: PixelSize(width: 2400, height: 1800), alpha: .opaque)
        builder.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0xFF) }
        let bytes = try JPEGCodec().encode(builder.freeze(), as: .jpeg)
        #expect(try Shared.decode(bytes) { $0.atLeast = sizes.wanted }.size == sizes.expected)
    }

    @Test(arguments: [
        Case(117, 83, 117, 83), Case(500, 10, 117, 83), Case(50, 10, 50, 36), Case(10, 50, 71, 50),
        Case(1, 1, 2, 1), Case(0, 0, 2, 1), Case(116, 83, 117, 83),
    ])
    func `a scaled WebP comes in the smallest size of its shape`(_ sizes: Case) throws {
        let bitmap = try Shared.decode(Fixture.data("made/lossy.webp")) { $0.atLeast = sizes.wanted }
        #expect(bitmap.size == sizes.expected)
    }

    @Test(arguments: ["made/alpha.png", "gif/fire.gif", "made/animated.webp"])
    func `images of formats that can't scale come at full size`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let bitmap = try Shared.decode(bytes) { $0.atLeast = PixelSize(width: 3, height: 3) }
        #expect(bitmap.size == (try Shared.info(bytes)).size)
    }

    @Test(arguments: ["made/scalable.jpg", "made/lossy.webp", "made/lossless.webp"])
    func `a scaled version of an image has the colours of the large one`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let full = try Shared.decode(bytes)
        let small = try Shared.decode(bytes) {
            $0.atLeast = PixelSize(width: full.width / 4, height: full.height / 4)
        }
        func mean(_ bitmap: Bitmap) -> [Int] {
            let bytes = bitmap.bgra
            return (0..<4).map { channel in
                let sum = stride(from: channel, to: bytes.count, by: 4).reduce(0) { $0 + Int(bytes[$1]) }
                return sum * 4 / bytes.count
            }
        }
        #expect(small.width < full.width / 2)
        for (one, other) in zip(mean(full), mean(small)) { #expect(abs(one - other) <= 3) }
    }
}
