import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct ScalingTests {
    @Test(arguments: [
        (400, 300, 400, 300), (399, 300, 400, 300), (351, 1, 400, 300), (350, 263, 350, 263), (200, 150, 200, 150),
        (201, 150, 250, 188), (50, 38, 50, 38), (50, 39, 100, 75), (1, 1, 50, 38), (0, 0, 50, 38),
        (4000, 10, 400, 300),
    ])
    func `a JPEG comes in the fewest eighths that suffice`(_ width: Int, _ height: Int, _ outWidth: Int, _ outHeight: Int)
        throws
    {
        let bitmap = try Shared.decode(Fixture.data("made/scalable.jpg")) {
            $0.atLeast = PixelSize(width: width, height: height)
        }
        #expect(bitmap.size == PixelSize(width: outWidth, height: outHeight))
    }

    @Test(arguments: [
        (117, 83, 117, 83), (500, 10, 117, 83), (50, 10, 50, 36), (10, 50, 71, 50), (1, 1, 2, 1), (0, 0, 2, 1),
        (116, 83, 117, 83),
    ])
    func `a WebP comes in the smallest size of its shape`(_ width: Int, _ height: Int, _ outWidth: Int, _ outHeight: Int)
        throws
    {
        let bitmap = try Shared.decode(Fixture.data("made/lossy.webp")) {
            $0.atLeast = PixelSize(width: width, height: height)
        }
        #expect(bitmap.size == PixelSize(width: outWidth, height: outHeight))
    }

    @Test(arguments: ["made/alpha.png", "gif/fire.gif", "made/animated.webp"])
    func `other images come at full size`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let bitmap = try Shared.decode(bytes) { $0.atLeast = PixelSize(width: 3, height: 3) }
        #expect(bitmap.size == (try Shared.info(bytes)).size)
    }

    @Test(arguments: ["made/scalable.jpg", "made/lossy.webp", "made/lossless.webp"])
    func `a small version has the colours of the large one`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let full = try Shared.decode(bytes)
        let small = try Shared.decode(bytes) {
            $0.atLeast = PixelSize(width: full.width / 4, height: full.height / 4)
        }
        func mean(_ bitmap: Bitmap) -> [Int] {
            let bytes = bitmap.bgra
            return (0..<4).map { channel in
                stride(from: channel, to: bytes.count, by: 4).reduce(0) { $0 + Int(bytes[$1]) } * 4 / bytes.count
            }
        }
        #expect(small.width < full.width / 2)
        for (one, other) in zip(mean(full), mean(small)) { #expect(abs(one - other) <= 3) }
    }
}
