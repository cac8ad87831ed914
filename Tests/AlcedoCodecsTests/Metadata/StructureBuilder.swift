/// Writes TIFF structures by the standard, with any mistakes: each directory is a list of entries.
struct StructureBuilder {
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        var value: [UInt8]
    }

    var isBig = true
    /// The first directory, EXIF's and GPS's.
    var directories: [[Entry]] = [[], [], []]

    func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBig ? bytes.reversed() : bytes
    }

    mutating func add(_ tag: Int, text: String, in directory: Int = 0) {
        add(tag, 2, Array(text.utf8) + [0], in: directory)
    }

    mutating func add(_ tag: Int, _ type: Int, _ value: [UInt8], in directory: Int = 0) {
        let width = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8][type] ?? 1
        directories[directory].append(Entry(tag: tag, type: type, count: value.count / width, value: value))
    }

    mutating func add(_ tag: Int, short: Int, in directory: Int = 0) {
        add(tag, 3, number(short, 2), in: directory)
    }

    mutating func add(_ tag: Int, fractions: [(Int, Int)], in directory: Int = 0) {
        add(tag, 5, fractions.flatMap { number($0.0, 4) + number($0.1, 4) }, in: directory)
    }

    var bytes: [UInt8] {
        var output = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        var starts: [Int] = []
        var place = 8
        for (index, entries) in directories.enumerated() {
            starts.append(place)
            place += 2 + 12 * (entries.count + (index == 0 ? 2 : 0)) + 4
            place += entries.reduce(0) { $0 + ($1.value.count > 4 ? $1.value.count : 0) }
        }
        for (index, entries) in directories.enumerated() {
            var entries = entries
            if index == 0 {
                entries.append(Entry(tag: 0x8769, type: 4, count: 1, value: number(starts[1], 4)))
                entries.append(Entry(tag: 0x8825, type: 4, count: 1, value: number(starts[2], 4)))
            }
            var values: [UInt8] = []
            let valuesStart = starts[index] + 2 + 12 * entries.count + 4
            output += number(entries.count, 2)
            for entry in entries {
                output += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                if entry.value.count > 4 {
                    output += number(valuesStart + values.count, 4)
                    values += entry.value
                } else {
                    output += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
                }
            }
            output += number(0, 4) + values
        }
        return output
    }

    /// What a camera writes: taken in Berlin, with a maker note that names the place.
    static func photograph(isBig: Bool = true) -> StructureBuilder {
        var builder = StructureBuilder(isBig: isBig)
        builder.add(0x010E, text: "A boat")
        builder.add(0x010F, text: "Example")
        builder.add(0x0110, text: "Model 1 ")
        builder.add(0x0112, short: 6)
        builder.add(0x0131, text: "Firmware 2")
        builder.add(0x013B, text: "Ada")
        builder.add(0x8298, text: "© 2026 Ada")
        builder.add(0x829A, fractions: [(1, 250)], in: 1)
        builder.add(0x829D, fractions: [(28, 10)], in: 1)
        builder.add(0x8827, short: 400, in: 1)
        builder.add(0x9003, text: "2026:11:29 09:28:05", in: 1)
        builder.add(0x9011, text: "+01:00", in: 1)
        builder.add(0x9209, short: 0x19, in: 1)
        builder.add(0x920A, fractions: [(355, 10)], in: 1)
        builder.add(0x927C, 7, Array("note: Berlin-Mitte".utf8), in: 1)
        builder.add(0x9291, text: "25", in: 1)
        builder.add(0xA405, short: 53, in: 1)
        builder.add(0xA434, text: "35mm f/2", in: 1)
        builder.add(1, text: "N", in: 2)
        builder.add(2, fractions: [(52, 1), (31, 1), (1200, 100)], in: 2)
        builder.add(3, text: "W", in: 2)
        builder.add(4, fractions: [(13, 1), (24, 1), (36, 1)], in: 2)
        builder.add(5, 1, [1], in: 2)
        builder.add(6, fractions: [(345, 10)], in: 2)
        return builder
    }
}
