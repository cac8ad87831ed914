import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct PNGSuiteTests {
    let codec = PNGCodec()

    private static let all = Fixture.list("pngsuite/png", withExtension: "png")
    private static func isBroken(_ path: String) -> Bool { path.contains("/x") }

    @Test func `PngSuite's files are all there`() {
        #expect(Self.all.count == 175)
        #expect(Self.all.filter(Self.isBroken).count == 14)
    }

    @Test(arguments: all.filter { !isBroken($0) })
    func `a file of PngSuite decodes to the suite's own pixels`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let json = path.replacing("png", with: "json").replacing("jsonsuite", with: "pngsuite")
        let depth = bytes[24]
        let expected = try numbers(inFixture: json).map { UInt8(depth == 16 ? ($0 + 128) / 257 : $0) }
        let straight = try codec.decode(bytes) {
            $0.keepsStraightAlpha = true
            $0.limits.isDithered = false
        }
        let isExact = straight.rgba == expected
        #expect(isExact)

        let info = try codec.info(bytes)
        #expect(info.size == straight.size)
        #expect(info.isComplete)
        #expect(info.hasAlpha || straight.alpha == .opaque)
    }

    @Test(arguments: all.filter { !isBroken($0) })
    func `a file of PngSuite is premultiplied with rounding to nearest`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let limits = DecodeLimits(isDithered: false)
        let straight = try codec.decode(bytes) {
            $0.keepsStraightAlpha = true
            $0.limits = limits
        }
        var expected = straight.bgra
        for pixel in stride(from: 0, to: expected.count, by: 4) {
            for channel in pixel..<(pixel + 3) {
                expected[channel] = UInt8((Int(expected[channel]) * Int(expected[pixel + 3]) + 127) / 255)
            }
        }
        let bitmap = try codec.decode(bytes) { $0.limits = limits }
        // 16 bits are rounded once, after they have been multiplied.
        let difference = try #require(largestDifference(bitmap.bgra, expected))
        #expect(difference <= (bytes[24] == 16 ? 1 : 0))
        let isOpaque = stride(from: 3, to: expected.count, by: 4).allSatisfy { expected[$0] == 255 }
        #expect((bitmap.alpha == .opaque) == isOpaque)
    }

    @Test(arguments: all.filter(isBroken))
    func `a broken file of PngSuite is rejected`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        #expect(throws: CodecError.self) { try codec.decode(bytes) }
    }
}
