/// Writes ICC profiles, tag by tag.
package struct ProfileBuilder {
    package var space = "RGB "
    package var kind = "mntr"
    /// The space of the colours that the profile leads to.
    package var connection = "XYZ "
    /// The profile's version, 2 or 4.
    package var version: UInt8 = 4
    /// More tags than these are said to be there.
    package var claimedTags: Int?
    private var tags: [(name: String, content: [UInt8])] = []

    package init() {}

    /// Curves and colorants of sRGB's primaries with a power of 1.8, so that conversion changes something.
    package static func matrix(gamma: Double = 1.8) -> ProfileBuilder {
        var builder = ProfileBuilder()
        let colorants = [(0.436, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7139)]
        for (letter, (x, y, z)) in zip(["r", "g", "b"], colorants) {
            builder.add("\(letter)XYZ", Array("XYZ ".utf8) + u32(0) + [x, y, z].flatMap(fixed))
            builder.add("\(letter)TRC", Array("para".utf8) + u32(0) + u16(0) + u16(0) + fixed(gamma))
        }
        return builder
    }

    package mutating func add(_ name: String, _ content: [UInt8]) {
        tags.removeAll { $0.name == name }
        tags.append((name, content))
    }

    package var bytes: [UInt8] {
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
        put(Array(connection.utf8), at: 20)
        put(Array("acsp".utf8), at: 36)
        put([0.9642, 1, 0.8249].flatMap(Self.fixed), at: 68)
        return header + table + content
    }

    /// Curves of one kind, and colorants of other primaries.
    package static func matrix(_ encoding: ExactColor) -> ProfileBuilder {
        var builder = ProfileBuilder()
        let columns = encoding.profileColumns
        for (letter, column) in zip(["r", "g", "b"], columns) {
            builder.add("\(letter)XYZ", Array("XYZ ".utf8) + u32(0) + column.flatMap(fixed))
            builder.add("\(letter)TRC", curve(encoding.transfer))
        }
        return builder
    }

    /// A profile for grey.
    package static func grey(_ transfer: ExactColor.Transfer) -> ProfileBuilder {
        var builder = ProfileBuilder()
        builder.space = "GRAY"
        builder.add("kTRC", curve(transfer))
        return builder
    }

    private static func curve(_ transfer: ExactColor.Transfer) -> [UInt8] {
        if case .gamma(let exponent) = transfer {
            return Array("para".utf8) + u32(0) + u16(0) + u16(0) + fixed(exponent)
        }
        let points = (0..<4096).map { Int((transfer.light(Double($0) / 4095) * 65535).rounded()) }
        return join(Array("curv".utf8), u32(0), u32(points.count), points.flatMap { u16($0) })
    }

    /// A profile with a table of two points in each direction, whose corners are `lab`; the inks of CMYK, or red, green and blue.
    package static func corners(_ space: String, _ lab: ([Double]) -> [Double]) -> ProfileBuilder {
        let inputs = space == "CMYK" ? 4 : 3
        var builder = ProfileBuilder()
        (builder.space, builder.kind, builder.version, builder.connection) = (space, "scnr", 2, "Lab ")
        let matrix = [1.0, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
        let curve = u16(0) + u16(65535)
        let points = (0..<1 << inputs).flatMap { corner -> [UInt8] in
            let place = (0..<inputs).map { Double(corner >> (inputs - 1 - $0) & 1) }
            let color = lab(place)
            // L* up to 100 is 65,280; a* and b* from -128 (ICC.1:2001, 6.3.4.2).
            let levels: [Double] = [color[0] * 652.8, (color[1] + 128) * 256, (color[2] + 128) * 256]
            return levels.flatMap { u16(Int($0.rounded())) }
        }
        builder.add(
            "A2B0",
            join(
                Array("mft2".utf8), u32(0), [UInt8(inputs), 3, 2, 0], matrix, u16(2), u16(2),
                repeated(curve, inputs), points, repeated(curve, 3)))
        return builder
    }

    /// Adds a `cicp` tag (ICC.1:2022, 9.2.17).
    package mutating func addCodePoints(_ primaries: UInt8, _ transfer: UInt8) {
        add("cicp", Array("cicp".utf8) + Self.u32(0) + [primaries, transfer, 0, 1])
    }

    /// A floating-point pipeline of `count` matrices that are all the same bytes.
    package static func stages(_ count: Int) -> [UInt8] {
        let numbers: [Float] = [0.99, 0, 0, 0, 0.99, 0, 0, 0, 0.99, 0, 0, 0]
        let matrix = join(
            Array("matf".utf8), u32(0), u16(3), u16(3), numbers.flatMap { u32(Int($0.bitPattern)) })
        let place = u32(16 + count * 8) + u32(matrix.count)
        return join(
            Array("mpet".utf8), u32(0), u16(3), u16(3), u32(count), repeated(place, count), matrix)
    }

    /// A table of 16 bits with `grid` points in each direction, all of one value.
    package static func table(inputs: Int, grid: Int, entries: Int = 2, value: UInt8 = 0x40) -> [UInt8] {
        let points = (0..<inputs).reduce(3) { points, _ in points * grid }
        let matrix = [1.0, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
        let curve = (0..<entries).flatMap { u16($0 * 65535 / max(1, entries - 1)) }
        return join(
            Array("mft2".utf8), u32(0), [UInt8(inputs), 3, UInt8(grid), 0], matrix, u16(entries),
            u16(entries), repeated(curve, inputs), [UInt8](repeating: value, count: points * 2),
            repeated(curve, 3))
    }

    package static func curve(points: Int, claimed: Int? = nil) -> [UInt8] {
        join(
            Array("curv".utf8), u32(0), u32(claimed ?? points),
            (0..<points).flatMap { u16($0 * 65535 / max(1, points - 1)) })
    }

    /// Not a sum, which is too complex for Swift 6.2.
    private static func join(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

    private static func repeated(_ part: [UInt8], _ count: Int) -> [UInt8] {
        repeatElement(part, count: count).flatMap(\.self)
    }

    package static func u16(_ number: Int) -> [UInt8] {
        [8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    package static func u32(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func fixed(_ number: Double) -> [UInt8] { u32(Int((number * 65536).rounded())) }
}
