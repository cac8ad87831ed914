import AlcedoCodecs
import Glibc
import Testing

@Suite(.serialized) struct `The time that a colour profile takes` {
    /// Ten times what a slow machine needs, and a hundredth of what the profiles can cost.
    private static let limit = 1.0

    @Test(arguments: [2_000, 20_000])
    func `the time that a colour profile takes does not depend on its stages`(count: Int) {
        let profile = TimedProfile.stages(count)
        var isMade = false
        let time = threadSeconds {
            isMade = ColorTransform.toSRGB(from: profile, layout: .rgba) != nil
        }
        print("profile of \(count) stages: \(time) s")
        #expect(isMade && time < Self.limit)
    }

    @Test func `the time that a colour profile takes is short for the largest tables`() {
        let profile = TimedProfile.largestTable()
        var isMade = false
        let time = threadSeconds {
            isMade = ColorTransform.toSRGB(from: profile, layout: .invertedCMYK) != nil
        }
        print("profile of \(profile.count) bytes: \(time) s")
        #expect(isMade && time < Self.limit)
    }

    /// Processor time of this thread.
    private func threadSeconds(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }
}

/// Profiles that cost much where every tag is read (ICC.1:2022).
private enum TimedProfile {
    /// Curves and colorants, and a pipeline of `count` matrices that are all the same bytes.
    static func stages(_ count: Int) -> [UInt8] {
        var tags: [(String, [UInt8])] = []
        let colorants = [(0.436, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7139)]
        for (letter, (x, y, z)) in zip(["r", "g", "b"], colorants) {
            tags.append(("\(letter)XYZ", text("XYZ ") + u32(0) + [x, y, z].flatMap(fixed)))
            // A power of its own, as conversions are cached.
            let power = fixed(1.8 + Double(count) / 1e5)
            tags.append(("\(letter)TRC", text("para") + u32(0) + u16(0) + u16(0) + power))
        }
        let numbers: [Float] = [0.99, 0, 0, 0, 0.99, 0, 0, 0, 0.99, 0, 0, 0]
        let matrix = text("matf") + u32(0) + u16(3) + u16(3) + numbers.flatMap { u32(Int($0.bitPattern)) }
        let place = u32(16 + count * 8) + u32(matrix.count)
        let head = text("mpet") + u32(0) + u16(3) + u16(3) + u32(count)
        tags.append(("D2B0", head + (0..<count).flatMap { _ in place } + matrix))
        return profile("RGB ", tags)
    }

    /// A table of 28 points in each of four directions.
    static func largestTable() -> [UInt8] {
        let (inputs, grid, entries) = (4, 28, 4096)
        let points = 3 * grid * grid * grid * grid
        let matrix = [1.0, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
        let curve = (0..<entries).flatMap { u16($0 * 65535 / (entries - 1)) }
        let head = text("mft2") + u32(0) + [UInt8(inputs), 3, UInt8(grid), 0] + matrix
        let curves = u16(entries) + u16(entries) + (0..<inputs).flatMap { _ in curve }
        let content = [UInt8](repeating: 0x40, count: points * 2) + (0..<3).flatMap { _ in curve }
        return profile("CMYK", [("A2B0", head + curves + content)])
    }

    private static func profile(_ space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
        var table = u32(tags.count)
        var content: [UInt8] = []
        let start = 132 + tags.count * 12
        for (name, bytes) in tags {
            table += text(name) + u32(start + content.count) + u32(bytes.count)
            content += bytes
            while content.count % 4 != 0 { content.append(0) }
        }
        var header = [UInt8](repeating: 0, count: 128)
        let fields = [
            (0, u32(start + content.count)), (8, [4]), (12, text("mntr")), (16, text(space)),
            (20, text("XYZ ")), (36, text("acsp")), (68, [0.9642, 1, 0.8249].flatMap(fixed)),
        ]
        for (offset, bytes) in fields { header.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        return header + table + content
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func u16(_ number: Int) -> [UInt8] {
        [8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func u32(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func fixed(_ number: Double) -> [UInt8] { u32(Int((number * 65536).rounded())) }
}
