/// Counts the colours of a frame for as long as there are few.
struct ColorCensus {
    /// Most colours that a palette may have.
    private var limit: Int

    /// In the order in which they were met.
    private(set) var colors: [UInt32] = []

    private static let slotCount = 1024
    /// Colour numbers plus one, at a place that the colour decides; 0 for none.
    private var slots = [UInt16](repeating: 0, count: slotCount)

    init(limit: Int) {
        self.limit = limit
        colors.reserveCapacity(limit)
    }

    /// Counts `colors` only, by their indices.
    init(of colors: [UInt32]) {
        self.init(limit: 256)
        for color in colors where number(of: color) != self.colors.count - 1 { self.colors.append(color) }
        limit = colors.count
    }

    /// The number of `color`, which is opaque; nil if it is new and there are enough already.
    mutating func number(of color: UInt32) -> Int? {
        var slot = Self.slot(color)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if colors[number] == color { return number }
            slot = (slot + 1) % Self.slotCount
        }
        guard colors.count < limit else { return nil }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return colors.count - 1
    }

    private static func slot(_ color: UInt32) -> Int {
        Int(truncatingIfNeeded: (color &* 0x9E37_79B1) >> 22)
    }
}
