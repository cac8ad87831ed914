import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoPixels
@testable import EngineFixtures

/// Each in a process of its own: `swift test --filter "charge"` prints what was measured if a charge is wrong.
@Suite(.timeLimit(.minutes(10)))
struct `What the budget charges` {
    @Test func `the charge for a baseline JPEG is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.jpeg) }
    }

    @Test func `the charge for a progressive JPEG is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.jpeg, isProgressive: true) }
    }

    @Test func `the charge for a reduced JPEG is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.jpeg, atLeast: 100) }
    }

    @Test func `the charge for a reduced progressive JPEG is what decoding takes`() async {
        await #expect(processExitsWith: .success) {
            try Charge.check(.jpeg, isProgressive: true, atLeast: 100)
        }
    }

    @Test func `the charge for a PNG is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.png) }
    }

    @Test func `the charge for a translucent PNG is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.png, hasAlpha: true) }
    }

    @Test func `the charge for a lossy WebP is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.webp) }
    }

    @Test func `the charge for a lossy translucent WebP is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.webp, hasAlpha: true) }
    }

    @Test func `the charge for a reduced lossy WebP is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.webp, atLeast: 100) }
    }

    @Test func `the charge for a lossless WebP is what decoding takes`() async {
        await #expect(processExitsWith: .success) {
            try Charge.check(.webp, isLossless: true, hasAlpha: true)
        }
    }

    @Test func `the charge for a GIF is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.gif) }
    }

    @Test func `the charge for a lossy JPEG XL is at least what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.check(.jxl, mayTakeLess: true) }
    }

    @Test func `the charge for a lossless JPEG XL is at least what decoding takes`() async {
        await #expect(processExitsWith: .success) {
            try Charge.check(.jxl, isLossless: true, hasAlpha: true, mayTakeLess: true)
        }
    }

    @Test func `the charge for an AVIF is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.checkFixture("avif") }
    }

    @Test func `the charge for a TIFF is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.checkFixture("tiff") }
    }

    @Test func `the charge for a JPEG 2000 is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.checkFixture("jp2") }
    }

    @Test func `the charge for a reduced JPEG 2000 is what decoding takes`() async {
        await #expect(processExitsWith: .success) { try Charge.checkFixture("jp2", atLeast: 400) }
    }
}

/// What the processes do.
private enum Charge {
    private static let size = PixelSize(width: 2000, height: 1500)

    /// Decodes a picture of three megapixels, unless no codec writes its format.
    static func check(
        _ format: EncodedFormat,
        isLossless: Bool = false,
        isProgressive: Bool = false,
        hasAlpha: Bool = false,
        atLeast side: Int? = nil,
        mayTakeLess: Bool = false
    ) throws {
        let options = EncodeOptions {
            $0.isLossless = isLossless
            $0.isProgressive = isProgressive
        }
        guard codecs.codec(writing: format) != nil else { return }
        let file = try codecs.encode(picture(hasAlpha: hasAlpha), as: format, options: options)
        let size = side.map { PixelSize(width: $0, height: $0) }
        try check(Data(file), atLeast: size, mayTakeLess: mayTakeLess)
    }

    static func checkFixture(_ suffix: String, atLeast side: Int? = nil) throws {
        let bytes = try Fixture.data("memory/large.\(suffix)")
        guard codecs.codec(for: bytes.span.bytes) != nil else { return }
        try check(Data(bytes), atLeast: side.map { PixelSize(width: $0, height: $0) })
    }

    private static func check(_ file: Data, atLeast size: PixelSize?, mayTakeLess: Bool = false) throws {
        let image = try EncodedImage(file, limits: DecodeLimits { $0.sandbox = .off })
        let charge = image.cost(DecodeOptions { $0.atLeast = size })
        while SpareMappings.shared.trim(since: .now) {}
        giveBackFreedMemory()
        let growth = Memory.growth { _ = try? image.decode(atLeast: size) }
        // Code that runs for the first time, tables and a few rows.
        Memory.check(growth, below: charge + charge / 16 + 6 << 20)
        if !mayTakeLess, charge > growth * 2 + 6 << 20 {
            Memory.fail("\(growth) bytes are charged as \(charge)")
        }
    }

    /// Calls `malloc_trim`, whose header Swift does not import.
    private static func giveBackFreedMemory() {
        typealias Trim = @convention(c) (Int) -> CInt
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        // Safe because that is how the C library declares it.
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    private static func picture(hasAlpha: Bool) throws -> Bitmap {
        var builder = try PixelBuilder(size: size, alpha: hasAlpha ? .straight : .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let color = UInt32(x >> 3 & 255) << 16 | UInt32(y >> 3 & 255) << 8 | UInt32((x ^ y) & 15)
                    let alpha = hasAlpha ? UInt32(128 + x & 63) : 255
                    bytes.storeBytes(
                        of: alpha << 24 | color, toByteOffset: (y * size.width + x) * 4, as: UInt32.self)
                }
            }
        }
        return builder.freeze()
    }
}
