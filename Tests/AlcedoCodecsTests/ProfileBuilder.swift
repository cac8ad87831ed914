/// Writes ICC profiles, tag by tag.
struct ProfileBuilder {
    var space = "RGB "
    var kind = "mntr"
    /// The profile's version, 2 or 4.
    var version: UInt8 = 4
    /// More tags than these are said to be there.
    var claimedTags: Int?
    private var tags: [(name: String, content: [UInt8])] = []

    init() {}

    /// Curves and colorants of sRGB's primaries with a power of 1.8, so that conversion changes something.
    static func matrix(gamma: Double = 1.8) -> ProfileBuilder {
        var builder = ProfileBuilder()
        let colorants = [(0.436, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7139)]
        for (letter, (x, y, z)) in zip(["r", "g", "b"], colorants) {
            builder.add("\(letter)XYZ", Array("XYZ ".utf8) + u32(0) + [x, y, z].flatMap(fixed))
            builder.add("\(letter)TRC", Array("para".utf8) + u32(0) + u16(0) + u16(0) + fixed(gamma))
        }
        return builder
    }

    mutating func add(_ name: String, _ content: [UInt8]) {
        tags.removeAll { $0.name == name }
        tags.append((name, content))
    }

    var bytes: [UInt8] {
        var table: [UInt8] = Self.u32(claimedTags ?? tags.count)
        var content: [UInt8] = []
        let start = 132 + tags.count * 12
        for tag in tags {
            table += Array(tag.name.utf8) + Self.u32(start + content.count) + Self.u32(tag.content.count)
            content += tag.content
            while content.count % 4 != 0 { content.append(0) }
        }
        var header = [UInt8](repeating: 0, count: 128)
        func put(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        }
        put(Self.u32(start + content.count), at: 0)
        header[8] = version
        put(Array(kind.utf8), at: 12)
        put(Array(space.utf8), at: 16)
        put(Array("XYZ ".utf8), at: 20)
        put(Array("acsp".utf8), at: 36)
        put([0.9642, 1, 0.8249].flatMap(Self.fixed), at: 68)
        return header + table + content
    }

    /// A floating-point pipeline of `count` matrices that are all the same bytes.
    static func stages(_ count: Int) -> [UInt8] {
        let numbers: [Float] = [0.99, 0, 0, 0, 0.99, 0, 0, 0, 0.99, 0, 0, 0]
        let matrix =
            Array("matf".utf8) + u32(0) + u16(3) + u16(3) + numbers.flatMap { u32(Int($0.bitPattern)) }
        let place = u32(16 + count * 8) + u32(matrix.count)
        return Array("mpet".utf8) + u32(0) + u16(3) + u16(3) + u32(count)
            + (0..<count).flatMap { _ in place } + matrix
    }

    /// A table of 16 bits with `grid` points in each direction, all of one value.
    static func table(inputs: Int, grid: Int, entries: Int = 2, value: UInt8 = 0x40) -> [UInt8] {
        let points = (0..<inputs).reduce(3) { points, _ in points * grid }
        let matrix = [1.0, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
        let curve = (0..<entries).flatMap { u16($0 * 65535 / max(1, entries - 1)) }
        return Array("mft2".utf8) + u32(0) + [UInt8(inputs), 3, UInt8(grid), 0] + matrix
            + u16(entries) + u16(entries) + (0..<inputs).flatMap { _ in curve }
            + [UInt8](repeating: value, count: points * 2) + (0..<3).flatMap { _ in curve }
    }

    static func curve(points: Int, claimed: Int? = nil) -> [UInt8] {
        Array("curv".utf8) + u32(0) + u32(claimed ?? points)
            + (0..<points).flatMap { u16($0 * 65535 / max(1, points - 1)) }
    }

    static func u16(_ number: Int) -> [UInt8] { [8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

    static func u32(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func fixed(_ number: Double) -> [UInt8] { u32(Int((number * 65536).rounded())) }
}
