import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// What libdeflate inflates must be what libspng makes of the same file; with a palette it goes the second way.
struct `A PNG that is inflated in one go` {
    private let codec = PNGCodec()

    private func bothWays(_ png: PNGBuilder) throws -> (Bitmap, Bitmap) {
        var other = png
        other.hasPalette = true
        return try (
            codec.decode(png.bytes) { $0.keepsStraightAlpha = true },
            codec.decode(other.bytes) { $0.keepsStraightAlpha = true }
        )
    }

    @Test(
        arguments: [(1, 1), (1, 9), (2, 2), (3, 5), (7, 3), (31, 17), (64, 64), (300, 90)],
        [false, true]
    )
    func `a PNG inflated in one go has the pixels that libspng finds`(
        _ size: (width: Int, height: Int), _ hasAlpha: Bool
    ) throws {
        let (quick, slow) = try bothWays(.noise(size.width, size.height, hasAlpha: hasAlpha))
        #expect(quick.hasSamePixels(as: slow))
        #expect(quick.alpha == (hasAlpha ? .straight : .opaque))
    }

    @Test(arguments: 0...4, [false, true])
    func `a PNG inflated in one go may have the same filter in all rows`(_ filter: Int, _ hasAlpha: Bool)
        throws
    {
        let only = UInt8(filter)...UInt8(filter)
        let (quick, slow) = try bothWays(.noise(33, 12, hasAlpha: hasAlpha, filters: only))
        #expect(quick.hasSamePixels(as: slow))
    }

    @Test(arguments: [1, 7, 1000]) func `a PNG inflated in one go may come in pieces`(_ chunkSize: Int) throws
    {
        let whole = PNGBuilder.noise(20, 20, hasAlpha: false)
        var pieces = whole
        pieces.chunkSize = chunkSize
        #expect(try codec.decode(pieces.bytes).hasSamePixels(as: codec.decode(whole.bytes)))
    }

    @Test func `a PNG inflated in one go is premultiplied after it has served the next row`() throws {
        let png = PNGBuilder.noise(40, 30, hasAlpha: true, filters: 2...4)
        var other = png
        other.hasPalette = true
        #expect(try codec.decode(png.bytes).hasSamePixels(as: codec.decode(other.bytes)))
    }

    @Test func `a PNG inflated in one go fails where libspng fails`() throws {
        let sound = PNGBuilder.noise(20, 20, hasAlpha: false)
        var wrongs: [PNGBuilder] = []
        var wrong = sound
        wrong.rows[61 * 3] = 5
        wrongs.append(wrong)
        wrong = sound
        wrong.rows.removeLast(30)
        wrongs.append(wrong)
        wrong = sound
        wrong.rows += [0, 1, 2]
        wrongs.append(wrong)
        wrong = sound
        wrong.rest = [1, 2, 3]
        wrongs.append(wrong)
        for var wrong in wrongs {
            let quick = Result { try codec.decode(wrong.bytes) }
            wrong.hasPalette = true
            let slow = Result { try codec.decode(wrong.bytes) }
            #expect(quick.error as? CodecError == slow.error as? CodecError)
        }
        #expect(throws: CodecError.self) { try codec.decode(wrongs[0].bytes) }
        #expect(throws: CodecError.self) { try codec.decode(wrongs[1].bytes) }
    }

    @Test
    func `a PNG inflated in one go is rejected if any byte of it differs`() throws {
        let bytes = PNGBuilder.noise(4, 3, hasAlpha: false).bytes
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0x11
            if index >= bytes.count - 12, let bitmap = try? codec.decode(flipped) {
                // The end chunk, without which all pixels are there.
                #expect(try bitmap.bgra == codec.decode(bytes).bgra)
                continue
            }
            #expect(throws: CodecError.self, "byte \(index)") { try codec.decode(flipped) }
        }
    }

    @Test func `a PNG inflated in one go is turned to sRGB by its profile`() throws {
        let bytes = try Fixture.data("made/wide-gamut.png")
        let end = try #require(bytes.firstRange(of: Array("IDAT".utf8))).lowerBound - 4
        var other = bytes
        other.insert(contentsOf: PNGBuilder.chunk("PLTE", [1, 2, 3]), at: end)
        #expect(try codec.decode(bytes).hasSamePixels(as: codec.decode(other)))
    }
}

extension Result {
    fileprivate var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
