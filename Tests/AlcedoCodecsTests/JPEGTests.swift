import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct JPEGTests {
    let codec = JPEGCodec()

    /// RGB of a binary PPM as RGBA.
    private func reference() throws -> [UInt8] {
        let ppm = try Fixture.data("jpeg/testorig.ppm")
        let pixels = ppm.suffix(227 * 149 * 3)
        var rgba: [UInt8] = []
        for (index, byte) in pixels.enumerated() {
            rgba.append(byte)
            if index % 3 == 2 { rgba.append(255) }
        }
        return rgba
    }

    @Test func `a baseline JPEG is within three steps of libjpeg-turbo's own picture`() throws {
        let bitmap = try codec.decode(Fixture.data("jpeg/testorig.jpg"))
        #expect(bitmap.size == PixelSize(width: 227, height: 149))
        #expect(bitmap.alpha == .opaque)
        #expect(try #require(largestDifference(bitmap.rgba, reference())) <= 3)
    }

    @Test(arguments: ["testimgari", "testimgint"])
    func `other codings of a JPEG are close to libjpeg-turbo's own picture`(_ name: String) throws {
        let bitmap = try codec.decode(Fixture.data("jpeg/\(name).jpg"))
        #expect(try #require(largestDifference(bitmap.rgba, reference())) <= 40)
    }

    @Test func `a written JPEG has Huffman tables of its own, unless it is very large`() throws {
        // How many codes of each length the standard's table for AC coefficients of luminance has.
        let standard: [UInt8] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D]
        let photograph = try codec.decode(Fixture.data("jpeg/testorig.jpg"))
        #expect(try codec.encode(photograph, as: .jpeg).firstRange(of: standard) == nil)
        // Just below 2²³ pixels, and just above.
        for (height, isOptimized) in [(128, true), (129, false)] {
            let size = PixelSize(width: 65_500, height: height)
            let file = try codec.encode(PixelBuilder(size: size, alpha: .opaque).freeze(), as: .jpeg)
            #expect((file.firstRange(of: standard) == nil) == isOptimized)
            #expect(try codec.info(file).size == size)
        }
    }

    @Test func `a JPEG that is written quickly is larger, with the same pixels`() throws {
        let photograph = try codec.decode(Fixture.data("jpeg/testorig.jpg"))
        let plain = try codec.encode(photograph, as: .jpeg, options: EncodeOptions(quality: 1))
        let quick = try codec.encode(
            photograph, as: .jpeg, options: EncodeOptions { ($0.quality, $0.effort) = (1, .quick) })
        #expect(quick.count > plain.count)
        #expect(try codec.decode(quick).bgra == codec.decode(plain).bgra)
    }

    @Test func `a JPEG takes a profile of 255 segments, and no larger one`() throws {
        let bitmap = try codec.decode(Fixture.data("jpeg/testorig.jpg"))
        let most = 255 * 65_519
        let profile = [UInt8](repeating: 7, count: most)
        let file = try codec.encode(bitmap, as: .jpeg, options: EncodeOptions { $0.profile = profile })
        #expect(file.count > most)
        let reason = "its profile has \(most + 1) bytes, and fits up to \(most)"
        #expect(throws: CodecError.encodingFailed(.jpeg, reason: reason)) {
            try codec.encode(bitmap, as: .jpeg, options: EncodeOptions { $0.profile = profile + [7] })
        }
    }

    @Test func `a JPEG of 12 bits a channel is rejected with a reason`() throws {
        let bytes = try Fixture.data("jpeg/monkey12.jpg")
        #expect(throws: CodecError.unsupported(.jpeg, reason: "12 bits a channel")) {
            try codec.decode(bytes)
        }
    }
}
