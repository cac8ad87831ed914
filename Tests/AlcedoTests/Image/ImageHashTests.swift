import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite struct `A ThumbHash` {
    /// Four quarters: red, green, blue, white; or clear.
    private func quarters(_ width: Int, _ height: Int, clear: Bool = false) throws -> Image {
        var pixels = try PixelBuilder(
            size: PixelSize(width: width, height: height), alpha: clear ? .premultiplied : .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            let output = bytes.bindMemory(to: UInt32.self)
            for index in output.indices {
                let (right, bottom) = (index % width >= width / 2, index / width >= height / 2)
                output[index] =
                    bottom
                    ? (right ? (clear ? 0 : 0xFFFF_FFFF) : 0xFF00_00FF) : right ? 0xFF00_FF00 : 0xFFFF_0000
            }
        }
        return Image(bitmap: pixels.freeze())
    }

    private func mean(_ image: Image) throws -> SIMD4<Double> {
        let bitmap = try image.bitmap()
        return bitmap.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).reduce(SIMD4<Double>()) { sum, index in
                sum + SIMD4((0..<4).map { Double(bytes[index + $0]) })
            } / Double(bitmap.size.area)
        }
    }

    @Test(arguments: [(100, 100), (200, 100), (100, 250), (40, 30), (1, 1), (3000, 20)])
    func `a ThumbHash keeps mean colour and aspect ratio`(width: Int, height: Int) throws {
        let image = try quarters(width, height)
        let hash = try image.thumbHash()
        #expect(5...25 ~= hash.count)
        let decoded = try Image(thumbHash: hash)
        #expect(max(decoded.pixelSize.width, decoded.pixelSize.height) == 32)
        let (wanted, found) = (
            Double(width) / Double(height), Double(decoded.pixelSize.width) / Double(decoded.pixelSize.height)
        )
        // The ratio has seven steps.
        if 1 / 7.0...7 ~= wanted { #expect(abs(wanted / found - 1) < 0.2) }
        let difference = try mean(decoded) - mean(image)
        #expect((0..<4).allSatisfy { abs(difference[$0]) < 24 }, "\(difference)")
    }

    @Test func `a ThumbHash shows where colours are`() throws {
        let bitmap = try Image(thumbHash: quarters(100, 100).thumbHash()).bitmap()
        let pixels = bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
        func channels(_ x: Int, _ y: Int) -> (blue: Int, green: Int, red: Int) {
            let pixel = Int(pixels[y * 32 + x])
            return (pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255)
        }
        let (red, green, blue, white) = (channels(8, 8), channels(24, 8), channels(8, 24), channels(24, 24))
        #expect(red.red > 150 && red.green < 100 && red.blue < 100)
        #expect(green.green > 150 && green.red < 100)
        #expect(blue.blue > 150 && blue.red < 100)
        #expect(white.red > 140 && white.green > 140 && white.blue > 140)
    }

    @Test func `a ThumbHash keeps alpha`() throws {
        let hash = try quarters(64, 64, clear: true).thumbHash()
        #expect(hash[2] & 0x80 != 0)
        let bitmap = try Image(thumbHash: hash).bitmap()
        #expect(bitmap.alpha == .premultiplied)
        let values = bitmap.withUnsafeBytes { bytes in
            (bytes[(8 + 8 * 32) * 4 + 3], bytes[(26 + 26 * 32) * 4 + 3])
        }
        #expect(values.0 > 220 && values.1 < 64)
    }

    /// Its bytes written out by hand from the format's table: mean grey, no coefficient differs from it.
    @Test func `a ThumbHash has the header that the format says`() throws {
        let grey = try Image(thumbHash: Data([31, 0x08, 0x02, 7, 0] + [UInt8](repeating: 0x77, count: 19)))
        #expect(grey.pixelSize == PixelSize(width: 32, height: 32))
        let pixel = try grey.bitmap().withUnsafeBytes { $0[0] }
        #expect(abs(Int(pixel) - 125) < 6)
    }

    /// Straight RGBA of the upper left pixel, the upper right, the centre, and the lower left and right one: computed by a
    /// program of its own, in another language, from the formulas of the format's page.
    @Test(arguments: [
        (
            "1QcSHQRnh493V4dIh4eXh1h4kJUI", 23, 32,
            [[64, 78, 113], [85, 109, 139], [140, 110, 89], [0, 12, 43], [0, 4, 40]]
        ),
        (
            "3OcRJYB4d3h/iIeHeEh3eIhw+j2w", 32, 23,
            [[125, 137, 159], [125, 137, 159], [113, 125, 139], [91, 103, 39], [87, 99, 46]]
        ),
        (
            "HBkSHYSIeHiPiHh8eJd4eTN0EEQG", 32, 23,
            [[213, 255, 255], [231, 236, 239], [141, 98, 34], [54, 76, 79], [96, 90, 74]]
        ),
        (
            "IQgSLYZ6iHePh4h1eFeHh4dwgwg3", 32, 23,
            [[130, 173, 231], [82, 125, 170], [194, 174, 153], [84, 62, 45], [63, 48, 28]]
        ),
        (
            "YJqGPQw7sFlslqhFafSE+Q6oJ1h2iHB2Rw==", 32, 32,
            [[0, 0, 0], [0, 0, 0], [107, 103, 109], [0, 0, 0], [0, 0, 0]]
        ),
        (
            "2IqDBQQnxnj0JoLYdM3P8ahpuDeHiHdwZw==", 32, 32,
            [[20, 1, 3], [18, 3, 3], [0, 0, 0], [19, 2, 3], [33, 6, 5]]
        ),
    ])
    func `a ThumbHash of the reference has the reference's pixels`(
        _ text: String, _ width: Int, _ height: Int, _ wanted: [[Int]]
    )
        throws
    {
        let bitmap = try Image(thumbHash: #require(Data(base64Encoded: text))).bitmap()
        try #require(bitmap.size == PixelSize(width: width, height: height))
        let places = [
            (0, 0), (width - 1, 0), (width / 2, height / 2), (0, height - 1), (width - 1, height - 1),
        ]
        for ((x, y), color) in zip(places, wanted) {
            let found = bitmap.pixel(x, y).prefix(3).reversed().map { Int($0) }
            #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 1 }, "\(found) at \(x), \(y): \(color)")
        }
    }

    @Test(arguments: [
        "1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j2w", "HBkSHYSIeHiPiHh8eJd4eTN0EEQG",
        "VggKDYAW6lZvdYd6d2iZh/p4GE/k", "IQgSLYZ6iHePh4h1eFeHh4dwgwg3", "YJqGPQw7sFlslqhFafSE+Q6oJ1h2iHB2Rw",
        "2IqDBQQnxnj0JoLYdM3P8ahpuDeHiHdwZw",
    ])
    func `a ThumbHash of the reference has the length that its header requires`(_ text: String) throws {
        let hash = try #require(Data(base64Encoded: text + (text.count % 4 == 0 ? "" : "==")))
        let image = try Image(thumbHash: hash)
        #expect(max(image.pixelSize.width, image.pixelSize.height) == 32)
        #expect(try image.bitmap().alpha == (hash[2] & 0x80 == 0 ? .opaque : .premultiplied))
    }

    @Test func `a malformed ThumbHash is an error that says what is wrong`() throws {
        #expect(throws: ImageHashError.invalidLength(2, expected: 5)) { try Image(thumbHash: Data([1, 2])) }
        let hash = try quarters(10, 10).thumbHash()
        for count in 0..<hash.count {
            #expect(throws: ImageHashError.self) { try Image(thumbHash: hash.prefix(count)) }
        }
        #expect(throws: ImageHashError.self) { try Image(thumbHash: hash + [0]) }
        let huge = Data(repeating: 0x77, count: 10 << 20)
        #expect(throws: ImageHashError.invalidLength(10 << 20, expected: 29)) { try Image(thumbHash: huge) }
        #expect(Data(base64Encoded: "no base64!") == nil, "a hash is bytes: reading text is the program's")
    }

    /// Every header, with coefficients at both ends of their range.
    @Test(arguments: [0, 0x77, 0xFF] as [UInt8])
    func `a ThumbHash of any bytes is an image of its size, or an error with the right length`(_ body: UInt8)
        throws
    {
        var lengths: Set<Int> = []
        for flags in 0..<32 {
            let head: [UInt8] = [body, body, body & 0x7F | UInt8(flags & 1) << 7]
            let tail: [UInt8] = [body & 0xF8 | UInt8(flags >> 1 & 7), body & 0x7F | UInt8(flags >> 4) << 7]
            let start = head + tail
            #expect(throws: ImageHashError.self) { try Image(thumbHash: Data(start)) }
            var expected: Int?
            do { _ = try Image(thumbHash: Data(start)) } catch ImageHashError.invalidLength(5, let length) {
                expected = length
            }
            let length = try #require(expected)
            lengths.insert(length)
            let image = try Image(thumbHash: Data(start + [UInt8](repeating: body, count: length - 5)))
            #expect(max(image.pixelSize.width, image.pixelSize.height) == 32)
            #expect(min(image.pixelSize.width, image.pixelSize.height) > 0)
        }
        #expect(lengths.max() == 29)
    }

    @Test func `a ThumbHash is a source`() async throws {
        let provider = ThumbHashImageDataProvider(thumbHash: try quarters(100, 50).thumbHash())
        let image = try #require(Image(data: try await provider.data()))
        #expect(image.pixelSize.width == 32)
    }
}

@Suite struct `A BlurHash` {
    @Test func `a BlurHash of one component is its colour`() throws {
        // 0xFF8000 in base 83 after the flags 0 and 0.
        let digits = Array(
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
        var (number, text) = (0xFF_8000, "")
        for _ in 0..<4 {
            text = String(digits[number % 83]) + text
            number /= 83
        }
        let image = try Image(blurHash: "00" + text, size: CGSize(width: 3, height: 2))
        let pixels = try image.bitmap().withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
        #expect(pixels == [UInt32](repeating: 0xFFFF_8000, count: 6))
    }

    @Test func `a BlurHash has light and dark sides as its coefficients say`() throws {
        // Two columns and one row; mean grey, the horizontal coefficient at its largest.
        let image = try Image(blurHash: "1~" + "HV6n" + "~q", size: CGSize(width: 32, height: 8))
        let bitmap = try image.bitmap()
        let (left, right) = bitmap.withUnsafeBytes { (Int($0[2]), Int($0[31 * 4 + 2])) }
        #expect(left > right)
    }

    @Test(arguments: [
        "LEHV6nWB2yk8pyo0adR*.7kCMdnj", "LGF5]+Yk^6#M@-5c,1J5@[or[Q6.", "L6PZfSi_.AyE_3t7t7R**0o#DgR4",
    ])
    func `a BlurHash of the reference is an image`(_ hash: String) throws {
        let image = try Image(blurHash: hash, size: CGSize(width: 32, height: 24))
        #expect(image.pixelSize == PixelSize(width: 32, height: 24))
    }

    @Test func `a malformed BlurHash is an error that says what is wrong`() {
        let size = CGSize(width: 4, height: 4)
        #expect(throws: ImageHashError.invalidCharacter("ä")) { try Image(blurHash: "äöü", size: size) }
        #expect(throws: ImageHashError.invalidLength(0, expected: 6)) { try Image(blurHash: "", size: size) }
        #expect(throws: ImageHashError.invalidLength(7, expected: 28)) {
            try Image(blurHash: "LEHV6nW", size: size)
        }
        for side in [0, -1, 257, CGFloat.nan] {
            #expect(throws: ImageHashError.self) {
                try Image(blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj", size: CGSize(width: side, height: 4))
            }
        }
    }

    @Test(arguments: [CGFloat.nan, .infinity, -.infinity, 1001, -1e300])
    func `a BlurHash with an impossible contrast is an error`(_ punch: CGFloat) {
        #expect(throws: ImageHashError.self) {
            try Image(
                blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj", size: CGSize(width: 4, height: 4), punch: punch)
        }
    }

    @Test(arguments: [1000.0, -1000, 0])
    func `a BlurHash with any possible contrast is an image`(_ punch: Double) throws {
        let image = try Image(
            blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj", size: CGSize(width: 4, height: 4), punch: punch)
        #expect(image.pixelSize == PixelSize(width: 4, height: 4))
    }

    @Test func `a BlurHash of many or of meaningless characters is an error at once`() {
        let size = CGSize(width: 4, height: 4)
        let huge = String(repeating: "L", count: 10 << 20)
        #expect(throws: ImageHashError.invalidLength(10 << 20, expected: 166)) {
            try Image(blurHash: huge, size: size)
        }
        #expect(throws: ImageHashError.invalidLength(1, expected: 6)) { try Image(blurHash: "L", size: size) }
        #expect(throws: ImageHashError.invalidValue(position: 2)) {
            try Image(blurHash: "00~~~~", size: size)
        }
        #expect(throws: ImageHashError.invalidValue(position: 6)) {
            try Image(blurHash: "1~HV6n~~", size: size)
        }
        #expect(throws: ImageHashError.invalidCharacter("\0")) {
            try Image(blurHash: "\0\0\0\0\0\0", size: size)
        }
    }

    @Test func `a BlurHash is a source`() async throws {
        let provider = BlurHashImageDataProvider(
            blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj", size: CGSize(width: 8, height: 6))
        #expect(
            try #require(Image(data: try await provider.data())).pixelSize == PixelSize(width: 8, height: 6))
    }
}
