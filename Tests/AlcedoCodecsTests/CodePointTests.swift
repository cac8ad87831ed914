import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

struct `Colours that a PNG names by code points` {
    private static let colors: [[Double]] = [
        [200, 100, 50], [20, 180, 90], [128, 128, 128], [255, 255, 255], [60, 70, 200],
    ]

    private func decode(_ chunks: [UInt8], isGrey: Bool = false) throws -> [[Double]] {
        let row = [0] + Self.colors.joined().map { UInt8($0) }
        let bytes = PNGBuilder(width: 5, height: 1, hasAlpha: false, rows: row).bytes
        let changed = Array(bytes[..<33]) + chunks + Array(bytes[33...])
        let pixels = try Shared.decode(changed).rgba.map(Double.init)
        return stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 3]) }
    }

    private func cicp(_ primaries: UInt8, _ transfer: UInt8, _ matrix: UInt8 = 0, _ range: UInt8 = 1)
        -> [UInt8]
    {
        PNGBuilder.chunk("cICP", [primaries, transfer, matrix, range])
    }

    private func light(_ level: Double) -> Double {
        let value = level / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private func level(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    /// From linear Display P3 and BT.2020 to linear sRGB, as CSS Color 4 has them.
    private static let matrices: [UInt8: [[Double]]] = [
        12: [[1.2249402, -0.2249402, 0], [-0.0420570, 1.0420570, 0], [-0.0196376, -0.0786361, 1.0982735]],
        9: [
            [1.6604910, -0.5876411, -0.0728499], [-0.1245505, 1.1328999, -0.0083494],
            [-0.0181508, -0.1005789, 1.1187297],
        ],
    ]

    @Test(arguments: [12, 9] as [UInt8], [13, 1] as [UInt8])
    func `colours that a PNG names by code points are those of the primaries`(
        primaries: UInt8, transfer: UInt8
    ) throws {
        let matrix = try #require(Self.matrices[primaries])
        let pixels = try decode(cicp(primaries, transfer))
        for (color, pixel) in zip(Self.colors, pixels) {
            let lights = color.map(light)
            for (row, value) in zip(matrix, pixel) {
                let exact = level(zip(row, lights).reduce(0) { $0 + $1.0 * $1.1 })
                #expect(abs(exact - value) <= 2, "\(color)")
            }
        }
    }

    @Test
    func `sRGB that a PNG names by code points stays as it is, whatever a profile says`() throws {
        let bytes = try Fixture.data("made/wide-gamut.png")
        let plain = try Shared.decode(Array(bytes[..<33]) + cicp(1, 13) + Array(bytes[33...])).bgra
        let profiled = try Shared.decode(bytes).bgra
        let start = try #require(bytes.firstRange(of: Array("iCCP".utf8))).lowerBound - 4
        let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        let bare = try Shared.decode([UInt8](bytes[..<start] + bytes[(start + 12 + length)...])).bgra
        let (isPlain, isProfiled) = (plain == bare, plain == profiled)
        #expect(isPlain && !isProfiled)
    }

    @Test func `colours that a PNG names by code points are as bright as the transfer says`() throws {
        let usual = try decode([])
        // 58 per cent of PQ are 203 candela per square metre, which is white.
        let (pq, hlg) = (try decode(cicp(9, 16)), try decode(cicp(9, 18)))
        #expect(pq[3].allSatisfy { $0 >= 253 } && hlg[3].allSatisfy { $0 >= 220 })
        #expect(pq[2][0] > 128 && pq != usual && hlg != usual)
        #expect(Set(pq[2]).count == 1)
    }

    @Test(
        arguments: [
            (9, 16, 1, 1), (9, 16, 0, 0), (2, 13, 0, 1), (9, 2, 0, 1), (200, 13, 0, 1), (9, 200, 0, 1),
        ] as [(UInt8, UInt8, UInt8, UInt8)])
    func `colours that a PNG names by unknown code points are sRGB`(_ numbers: (UInt8, UInt8, UInt8, UInt8))
        throws
    {
        let (primaries, transfer, matrix, range) = numbers
        #expect(try decode(cicp(primaries, transfer, matrix, range)) == decode([]))
    }

    @Test func `a PNG's colours are sRGB if the chunk of code points is damaged or too short`() throws {
        var damaged = cicp(9, 16)
        damaged[damaged.count - 1] ^= 1
        #expect(try decode(damaged) == decode([]))
        #expect(try decode(PNGBuilder.chunk("cICP", [9, 16, 0])) == decode([]))
    }

    @Test func `colours that an APNG names by code points are those of all frames`() throws {
        let bytes = try Fixture.data("made/animated-over.png")
        let wide = Array(bytes[..<33]) + cicp(9, 13) + Array(bytes[33...])
        let (one, other) = (try Shared.frames(bytes), try Shared.frames(wide))
        var count = 0
        while let frame = try one.next(), let wider = try other.next() {
            count += 1
            if frame.bitmap.bgra.contains(where: { $0 > 0 && $0 < 255 }) {
                let isWider = frame.bitmap.bgra != wider.bitmap.bgra
                #expect(isWider)
            }
        }
        #expect(count == 6)
    }
}
