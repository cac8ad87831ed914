import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

@Suite(.serialized)
struct `Hostile colour profiles` {
    private func png(_ profile: [UInt8]) -> [UInt8] {
        let plain = PNGBuilder.noise(4, 4, hasAlpha: false).bytes
        let chunk = PNGBuilder.chunk("iCCP", [0x70, 0, 0] + PNGBuilder.stored(profile))
        return Array(plain[..<33]) + chunk + Array(plain[33...])
    }

    private func jpeg(_ profile: [UInt8]) throws -> [UInt8] {
        let plain = try Fixture.data("made/odd-7x9.jpg")
        let size = 65_000
        let count = (profile.count + size - 1) / size
        let pieces = (0..<count).flatMap { index in
            let piece = profile[(index * size)..<min((index + 1) * size, profile.count)]
            let head: [UInt8] = Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)]
            return [0xFF, 0xE2] + ProfileBuilder.u16(piece.count + 16) + head + piece
        }
        return Array(plain[..<2]) + pieces + Array(plain[2...])
    }

    /// A lossless picture of one pixel, whose file says that there is a profile.
    private func webp(_ profile: [UInt8]) throws -> [UInt8] {
        var bytes = try Fixture.data("made/wide-gamut.webp")
        func little(_ number: Int) -> [UInt8] { ProfileBuilder.u32(number).reversed() }
        let start = try #require(bytes.firstRange(of: Array("ICCP".utf8))).lowerBound
        let old = bytes[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        let padded = profile.count % 2 == 0 ? profile : profile + [0]
        bytes.replaceSubrange(
            (start + 4)..<(start + 8 + old + old % 2), with: little(profile.count) + padded)
        bytes.replaceSubrange(4..<8, with: little(bytes.count - 8))
        return bytes
    }

    private func file(_ format: String, _ profile: [UInt8]) throws -> [UInt8] {
        switch format {
        case "PNG": png(profile)
        case "JPEG": try jpeg(profile)
        default: try webp(profile)
        }
    }

    @Test(arguments: ["PNG", "JPEG", "WebP"], [2_000, 20_000])
    func `hostile profiles are used without their stages, however many there are`(
        _ format: String, _ stages: Int
    ) throws {
        let builder = ProfileBuilder.matrix(gamma: 1 + Double(stages) / 1e6)
        var staged = builder
        staged.add("D2B0", ProfileBuilder.stages(stages))
        let bytes = try file(format, staged.bytes)
        #expect(Shared.profile(bytes) == staged.bytes)
        let isEqual = try Shared.decode(bytes).bgra == Shared.decode(file(format, builder.bytes)).bgra
        #expect(isEqual)
    }

    @Test func `hostile profiles keep their curves and colorants where stages are left out`() throws {
        let builder = ProfileBuilder.matrix()
        var staged = builder
        staged.add("D2B0", ProfileBuilder.stages(3))
        #expect(try Shared.decode(png(staged.bytes)).bgra == Shared.decode(png(builder.bytes)).bgra)
        let plain = PNGBuilder.noise(4, 4, hasAlpha: false).bytes
        #expect(try Shared.decode(png(builder.bytes)).bgra != Shared.decode(plain).bgra)
    }

    /// Faults of profiles that are ignored.
    @Test(arguments: [
        "a hundred and one tags", "more tags than bytes", "a link", "a curve of more points than bytes",
        "a curve of too many points", "a curve of an unknown kind", "no curves",
        "colorants of an unknown kind",
        "a table of more points than bytes", "a table of a single point",
        "a table of more entries than bytes",
        "a table for other channels", "tables of more than 4 MiB", "stages as a table", "nothing",
    ])
    func `hostile profiles are ignored`(_ fault: String) throws {
        var builder = ProfileBuilder.matrix()
        var cut: Int?
        switch fault {
        case "a hundred and one tags":
            for index in 100..<195 {
                builder.add("t\(index)", [1, 2, 3, 4, 5, 6, 7, 8])
            }
        case "more tags than bytes": builder.claimedTags = 90
        case "a link": builder.kind = "link"
        case "a curve of more points than bytes":
            builder.add("gTRC", ProfileBuilder.curve(points: 4, claimed: 5000))
        case "a curve of too many points": builder.add("gTRC", ProfileBuilder.curve(points: 0x8000))
        case "a curve of an unknown kind":
            builder.add("gTRC", Array("para\0\0\0\0\0\u{9}\0\0\0\0\0\0".utf8))
        case "no curves": builder.add("gTRC", [0, 0, 0, 0, 0, 0, 0, 0])
        case "colorants of an unknown kind":
            builder.add("gXYZ", Array("curv\0\0\0\0\0\0\0\0\0\0\0\0".utf8))
        case "a table of more points than bytes":
            var table = ProfileBuilder.table(inputs: 3, grid: 2)
            table[10] = 200
            builder.add("A2B0", table)
        case "a table of a single point": builder.add("A2B0", ProfileBuilder.table(inputs: 3, grid: 1))
        case "a table of more entries than bytes":
            var table = ProfileBuilder.table(inputs: 3, grid: 2)
            table[48] = 0x0F
            builder.add("A2B0", table)
        case "a table for other channels": builder.add("A2B0", ProfileBuilder.table(inputs: 4, grid: 3))
        case "tables of more than 4 MiB":
            builder.add("A2B0", ProfileBuilder.table(inputs: 3, grid: 80))
            builder.add("A2B1", ProfileBuilder.table(inputs: 3, grid: 80))
        case "stages as a table": builder.add("A2B0", ProfileBuilder.stages(2000))
        default: cut = 130
        }
        let profile = cut.map { Array(builder.bytes[..<$0]) } ?? builder.bytes
        let plain = PNGBuilder.noise(4, 4, hasAlpha: false).bytes
        #expect(ColorTransform.toSRGB(from: profile, layout: .rgba) == nil)
        #expect(try Shared.decode(png(profile)).bgra == Shared.decode(plain).bgra)
    }

    @Test func `a profile may have the largest tables`() throws {
        var builder = ProfileBuilder()
        builder.space = "CMYK"
        builder.add("A2B0", ProfileBuilder.table(inputs: 4, grid: 28, entries: 4096))
        let profile = builder.bytes
        #expect(profile.count > 3_600_000)
        #expect(ColorTransform.toSRGB(from: profile, layout: .invertedCMYK) != nil)
    }

    @Test func `a profile has a name of bounded length`() {
        var builder = ProfileBuilder.matrix()
        let name = Array("n\0a\0m\0e".utf8)
        let entry = Array("enUS".utf8) + ProfileBuilder.u32(8) + ProfileBuilder.u32(28)
        let text = Array("mluc".utf8) + ProfileBuilder.u32(0)
        let sizes = ProfileBuilder.u32(1) + ProfileBuilder.u32(12)
        builder.add("desc", text + sizes + entry + [0] + name)
        #expect(ICCProfile.description(of: builder.bytes) == "name")
        builder.add(
            "desc", text + ProfileBuilder.u32(0x0FFF_FFFF) + ProfileBuilder.u32(12) + entry + [0] + name)
        #expect(ICCProfile.description(of: builder.bytes) == nil)
        builder.add("desc", text + sizes + entry + [0] + name + [UInt8](repeating: 0, count: 1 << 16))
        #expect(ICCProfile.description(of: builder.bytes) == nil)
    }
}
