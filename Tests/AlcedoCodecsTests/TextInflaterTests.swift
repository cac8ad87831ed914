import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoCodecs

@Suite struct `A compressed text` {
    /// By zlib, with its fixed codes: 60 bytes of an orientation of 6 in hexadecimal.
    private static let fixed = "eAHjSq3ITONSAAMjIy6TFJMUAwOjRAMIsABiQwNDQyMgbQwVMwRiMxCDCwB+Cgvz"

    /// By zlib, with codes of their own: 1,222 bytes in hexadecimal.
    private static let dynamic = """
        eNrtkttxxSAMRP+pIiWAImS7nAyGmXSQ8nNWuIR8Zcwd85J2tVpumT/fq3wwmpkVv/2u1b7qHidfq60Z6+dz1/hCm8OjH2Y1CMcdK7pf\
        Vr3rVKIdRkKGlHQYKTOWCcZM+ozLe8ThfoWLrJ82OImgxc18xSxWbYYrmZWQguSeWbPxiwQvG7GJyVJxZulzboIyrWjD56LIcPdIHS1h\
        pNjwQItauVmbTSnLlkYWcRUuSeD9jClYkkGhGwjwQLSHEW+Ax/bHqhQ/Xs1ErrL9wAEThPakhSZolQLZkLQN+YcG2dC124WFpciCaDPj\
        RHt2NEEahu7ed4sQbv88ldXneWgb6uk8REl23kQKSF9p7MROT1hsizFCeut2VDFp0+NTWD10mS3QlGG6UkoC9CrPKRaQmXp7PszYxfJm\
        hes/VuofjZfoJXqJXqKX6CX6L0TlF8Kh5mw=
        """

    private func bytes(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }

    @Test func `a PNG's compressed text inflates to what was compressed`() throws {
        let short = try #require(TextInflater.inflated(try bytes(Self.fixed), limit: 1000))
        #expect(String(decoding: short, as: UTF8.self).hasPrefix("\nexif\n      22\n4d4d002a00000008"))
        #expect(short.count == 60)
        let profile = try #require(TextInflater.inflated(try bytes(Self.dynamic), limit: 4000))
        #expect(String(decoding: profile.prefix(18), as: UTF8.self) == "\nexif\n    1222\n4d4")
        let stored = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        #expect(TextInflater.inflated(PNGBuilder.stored(stored), limit: 70_000) == stored)
        #expect(TextInflater.inflated([0x78, 0x01, 0x03, 0x00], limit: 0) == [])
    }

    @Test func `a PNG's compressed text has a limit`() throws {
        for text in [Self.fixed, Self.dynamic] {
            let stream = try bytes(text)
            let count = try #require(TextInflater.inflated(stream, limit: 4000)).count
            #expect(TextInflater.inflated(stream, limit: count)?.count == count)
            #expect(TextInflater.inflated(stream, limit: count - 1) == nil)
        }
        #expect(TextInflater.inflated(PNGBuilder.stored([1, 2]), limit: 1) == nil)
        for (blocks, expected) in [(255, [UInt8]()), (256, nil)] {
            let empty = [[UInt8]](repeating: [0, 0, 0, 0xFF, 0xFF], count: blocks).flatMap(\.self)
            #expect(TextInflater.inflated([0x78, 0x01] + empty + [3, 0], limit: 9) == expected)
        }
    }

    @Test func `a PNG's compressed text that is damaged is none, or another`() throws {
        for text in [Self.fixed, Self.dynamic] {
            let stream = try bytes(text)
            // The checksum is ignored.
            for count in 0..<stream.count - 4 {
                #expect(TextInflater.inflated(Array(stream[..<count]), limit: 4000) == nil)
            }
            var random = SeededGenerator(seed: 7)
            for place in stream.indices {
                for _ in 0..<20 {
                    var damaged = stream
                    damaged[place] = .random(in: 0...255, using: &random)
                    damaged[.random(in: 2..<stream.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                    let count = TextInflater.inflated(damaged, limit: 4000)?.count ?? 0
                    #expect(count <= 4000)
                }
            }
        }
        // More symbols than codes, and a distance before the start.
        #expect(TextInflater.inflated([0x78, 0x01, 0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], limit: 9) == nil)
        #expect(TextInflater.inflated([0x78, 0x01, 0x03, 0x02, 0x00, 0x00, 0x00], limit: 9) == nil)
    }
}
