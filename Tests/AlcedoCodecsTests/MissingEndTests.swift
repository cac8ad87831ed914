import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct `A file without its end` {
    @Test(arguments: [
        "sampling-444", "sampling-420", "sampling-411", "progressive", "restart", "grey", "cmyk", "odd-7x9",
        "scans-restart", "scans-cmyk",
    ])
    func `a JPEG is whole if only the end marker is missing`(_ name: String) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        let whole = try Shared.decode(bytes).bgra
        let small = try Shared.decode(bytes) { $0.atLeast = PixelSize(width: 1, height: 1) }.bgra
        for count in [bytes.count - 2, bytes.count - 1] {
            let cut = [UInt8](bytes[..<count])
            #expect(try !Shared.info(cut).isComplete)
            let isWhole = try Shared.decode(cut).bgra == whole
            let isSmall =
                try Shared.decode(cut) { $0.atLeast = PixelSize(width: 1, height: 1) }.bgra == small
            #expect(isWhole && isSmall)
        }
        for count in bytes.count - 40..<bytes.count - 2 {
            let cut = [UInt8](bytes[..<count])
            for side in [1, 1000] {
                let size = PixelSize(width: side, height: side)
                #expect(throws: CodecError.truncated(.jpeg), "\(bytes.count - count) bytes, \(side)") {
                    try Shared.decode(cut) { $0.atLeast = size }
                }
            }
        }
    }

    @Test(arguments: ["progressive", "scans-grey", "scans-restart"])
    func `a JPEG is truncated if a scan is missing`(_ name: String) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        let tables = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 }
        for end in (scans + tables).filter({ $0 > scans[0] }) {
            #expect(throws: CodecError.truncated(.jpeg)) { try Shared.decode([UInt8](bytes[..<end])) }
        }
    }

    @Test(arguments: [
        "made/alpha.png", "made/turned.png", "pngsuite/png/basi6a16.png", "pngsuite/png/basn3p08.png",
    ])
    func `a PNG is whole if only the end chunk is missing`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let whole = try Shared.decode(bytes).bgra
        for count in [1, 4, 8, 11, 12] {
            let cut = [UInt8](bytes.dropLast(count))
            let isWhole = try Shared.decode(cut).bgra == whole
            #expect(isWhole)
        }
        for count in 13..<40 {
            #expect(throws: CodecError.truncated(.png)) { try Shared.decode(bytes.dropLast(count)) }
        }
    }

    @Test(arguments: ["made/animated-over.png", "made/animated-palette.png"])
    func `an APNG is whole if only the end chunk is missing`(_ path: String) throws {
        func frames(_ bytes: [UInt8]) throws -> [[UInt8]] {
            let decoder = try Shared.frames(bytes)
            var frames: [[UInt8]] = []
            while let frame = try decoder.next() { frames.append(frame.bitmap.bgra) }
            return frames
        }
        let bytes = try Fixture.data(path)
        let isWhole = try frames(bytes.dropLast(12)) == frames(bytes)
        #expect(isWhole)
        for count in 13..<40 {
            #expect(throws: CodecError.truncated(.png)) { try Shared.decode(bytes.dropLast(count)) }
            #expect(throws: CodecError.truncated(.png)) { try Shared.frames(bytes.dropLast(count)) }
        }
    }
}

struct `A JPEG whose data ends early` {
    /// Without the last `count` bytes before the first such marker behind the start of the scan.
    private func shortened(_ name: String, by count: Int, before marker: UInt8) throws -> [UInt8] {
        var bytes = try Fixture.data("made/\(name).jpg")
        let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
        let end = try #require(bytes[scan...].firstRange(of: [0xFF, marker])).lowerBound
        bytes.removeSubrange(end - count..<end)
        return bytes
    }

    @Test(
        arguments: [("sampling-444", 0xD9), ("sampling-420", 0xD9), ("grey", 0xD9), ("restart", 0xD2)]
            as [(String, UInt8)])
    func `a JPEG whose data ends early is shown if a segment lacks the last bits of its last unit`(
        _ name: String, marker: UInt8
    ) throws {
        let whole = try Shared.decode(Fixture.data("made/\(name).jpg"))
        let bytes = try shortened(name, by: 1, before: marker)
        let shown = try Shared.decode(bytes)
        #expect(try Shared.decode(bytes) { $0.atLeast = PixelSize(width: 1, height: 1) }.width < whole.width)
        let different = zip(whole.bgra, shown.bgra).count { $0 != $1 }
        // A unit, and what chroma is smoothed with.
        #expect(different <= 18 * 18 * 4)
    }

    @Test(
        arguments: [("sampling-444", 0xD9), ("sampling-420", 0xD9), ("grey", 0xD9), ("restart", 0xD2)]
            as [(String, UInt8)])
    func `a JPEG whose data ends early is an error if it lacks a unit`(_ name: String, marker: UInt8) throws {
        let bytes = try shortened(name, by: name == "restart" ? 45 : 300, before: marker)
        for side in [1, 1000] {
            let size = PixelSize(width: side, height: side)
            #expect(throws: CodecError.truncated(.jpeg)) { try Shared.decode(bytes) { $0.atLeast = size } }
        }
    }
}
