import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `The thumbnail in a photograph` {
    private func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        try JPEGCodec().encode(.make(width, height) { x, y in 0xFF00_0000 | UInt32(x * 3 + y) }, as: .jpeg)
    }

    private func thumbnail(_ bytes: [UInt8]) -> [UInt8]? {
        JPEGCodec.thumbnail(in: bytes.span.bytes).map { Array(bytes[$0]) }
    }

    @Test(arguments: [true, false], [1, 6] as [UInt8])
    func `a photograph's thumbnail is found in both byte orders`(_ isBig: Bool, _ orientation: UInt8) throws {
        let small = try jpeg(40, 30)
        let bytes = EXIFBuilder.add(
            thumbnail: small, orientation: orientation, isBig: isBig, to: try jpeg(400, 300))
        #expect(thumbnail(bytes) == small)
        #expect(try Shared.info(bytes).orientation.rawValue == Int(orientation))
    }

    @Test
    func `a photograph's thumbnail counts only if it has the shape of the photograph and is small`() throws {
        let small = try jpeg(40, 30)
        func isFound(in width: Int, _ height: Int) throws -> Bool {
            thumbnail(EXIFBuilder.add(thumbnail: small, to: try jpeg(width, height))) != nil
        }
        #expect(try isFound(in: 400, 300) && isFound(in: 160, 120) && isFound(in: 400, 293))
        // With bars of black above and below, turned, and nearly as large.
        #expect(try !isFound(in: 450, 300) && !isFound(in: 300, 400) && !isFound(in: 156, 117))
    }

    @Test func `a photograph's thumbnail is none if it is no JPEG, or reaches beyond its block`() throws {
        let photograph = try jpeg(400, 300)
        #expect(thumbnail(photograph) == nil)
        #expect(thumbnail(EXIFBuilder.add(thumbnail: [1, 2, 3, 4], to: photograph)) == nil)
        var bytes = EXIFBuilder.add(thumbnail: try jpeg(40, 30), to: photograph)
        // The last byte of the length in the second entry.
        bytes[12 + 51] &+= 1
        #expect(thumbnail(bytes) == nil)
    }

    @Test func `a photograph's thumbnail may be any bytes`() throws {
        let structure = EXIFBuilder.structure(try jpeg(40, 30))
        for count in 0...structure.count {
            let range = EXIF.thumbnail(in: structure.span.bytes, at: 0..<count)
            #expect(range == nil || count == structure.count)
        }
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            var bytes = Array(structure.prefix(80))
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let start = Int.random(in: 0...4, using: &random)
            let range = EXIF.thumbnail(in: bytes.span.bytes, at: start..<bytes.count)
            #expect(range.map { $0.lowerBound >= start && $0.upperBound <= bytes.count } ?? true)
        }
    }
}
