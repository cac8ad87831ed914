/// The palette of a frame with few colours, in a hash table.
struct ExactPalette {
    /// The maximum number of colours.
    private var limit: Int

    /// In order of first occurrence.
    private(set) var colors: [UInt32] = []

    /// A power of 2, for the hash; four times the colours, so that probes are short.
    static let slotCount = 1024
    /// Palette indices plus one, by the colour's hash with linear probing; 0 if empty.
    private var slots = [UInt16](repeating: 0, count: slotCount)

    init(limit: Int) {
        self.limit = limit
        colors.reserveCapacity(limit)
    }

    /// Creates a fixed palette.
    init(of colors: [UInt32]) {
        self.init(limit: 256)
        for color in colors {
            let count = self.colors.count
            // A colour that is there twice keeps both places, so that the others keep theirs.
            if let index = index(of: color), index < count { self.colors.append(color) }
        }
        limit = colors.count
    }

    /// The index of an opaque colour, which is added if new; nil if the palette is full.
    mutating func index(of color: UInt32) -> Int? {
        var slot = Self.slot(color)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if colors[index] == color { return index }
            slot = (slot + 1) % Self.slotCount
        }
        guard colors.count < limit else { return nil }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return colors.count - 1
    }

    /// Where the search for a colour starts.
    static func slot(_ color: UInt32) -> Int {
        Int(truncatingIfNeeded: (color &* 0x9E37_79B1) >> 22)
    }
}
