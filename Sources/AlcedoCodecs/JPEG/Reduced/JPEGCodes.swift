/// The Huffman codes of one table (ITU-T T.81, annex C), found by the bits that come next.
final class JPEGCodes {
    /// How many bits are looked up at once.
    static let width = 12

    /// The same for a code and its value together: few enough that all tables stay close to the processor.
    static let detailWidth = 10

    /// What no code stands for: a run that is longer than a block, and no value.
    static let wrong = 1 << 12

    /// What one code stands for: its length in the low byte, its symbol above; 0 if it is longer than looked up.
    let symbols: UnsafeMutablePointer<UInt16>

    /// What a code and the value behind it stand for; 0 if they are longer together than what is looked up.
    ///
    /// How many bits they take in the low 5 bits, how many zeros come first in the next 4, whether it is the end of the
    /// block in the next, and the value in the upper half. Empty for tables of averages.
    let details: UnsafeMutablePointer<UInt32>

    /// What to skip of the coefficients that are not needed; 0 if the first code is longer than looked up.
    ///
    /// As many whole coefficients as begin within the bits that are looked up: how many bits they take in the low 5 bits,
    /// how many places they fill in the next 7, and in the highest bit whether the block ends with them. Empty for tables
    /// of averages.
    let skips: UnsafeMutablePointer<UInt16>

    /// For each length, what the first 16 bits are below if the code is as short, and what to add to it for its place.
    private var bounds: [(below: Int, offset: Int)] = []
    private let all: [UInt8]

    /// Nil unless `counts`, those of codes of 1 to 16 bits, make a code.
    init?(counts: [Int], symbols: [UInt8], areDetails: Bool) {
        let size = 1 << Self.width
        self.symbols = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        self.symbols.initialize(repeating: 0, count: size)
        skips = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        skips.initialize(repeating: 0, count: size)
        details = UnsafeMutablePointer<UInt32>.allocate(capacity: 1 << Self.detailWidth)
        details.initialize(repeating: 0, count: 1 << Self.detailWidth)
        all = symbols
        var (code, place) = (0, 0)
        for (length, count) in zip(1..., counts) {
            bounds.append((below: (code + count) << (16 - length), offset: place - code))
            guard code + count <= 1 << length else { return nil }
            if length <= Self.width {
                let run = 1 << (Self.width - length)
                for index in 0..<count {
                    let entry = UInt16(symbols[place + index]) << 8 | UInt16(length)
                    (self.symbols + (code + index) * run).update(repeating: entry, count: run)
                }
            }
            place += count
            code = (code + count) << 1
        }
        guard areDetails else { return }
        for bits in 0..<size { skips[bits] = skip(bits) }
        for bits in 0..<1 << Self.detailWidth { details[bits] = detail(bits) }
    }

    deinit {
        symbols.deallocate()
        skips.deallocate()
        details.deallocate()
    }

    /// Length and symbol of a code that is longer than what is looked up, at the start of 16 bits; nil if there is none.
    func longCode(_ bits: Int) -> (length: Int, symbol: Int)? {
        for length in Self.width + 1...16 where bits < bounds[length - 1].below {
            return (length, Int(all[bits >> (16 - length) + bounds[length - 1].offset]))
        }
        return nil
    }

    private func detail(_ bits: Int) -> UInt32 {
        let entry = symbols[bits << (Self.width - Self.detailWidth)]
        let (length, symbol) = (Int(entry & 0xFF), Int(entry >> 8))
        let (run, size) = (symbol >> 4, symbol & 15)
        let rest = Self.detailWidth - length - size
        guard length > 0, rest >= 0 else { return 0 }
        if size == 0, run < 15 { return UInt32(1 << 9 | length) }
        let value = JPEGBits.value(bits >> rest & (1 << size - 1), size: size)
        return UInt32(UInt16(truncatingIfNeeded: value)) << 16 | UInt32(run << 5 | length + size)
    }

    private func skip(_ bits: Int) -> UInt16 {
        var (used, places) = (0, 0)
        while used < Self.width, places < 48 {
            let entry = symbols[bits << used & (1 << Self.width - 1)]
            let (length, symbol) = (Int(entry & 0xFF), Int(entry >> 8))
            guard length > 0, used + length <= Self.width else { break }
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 { return 1 << 15 | UInt16(places << 5 | used + length) }
            used += length + size
            places += run + 1
        }
        return UInt16(places << 5 | used)
    }
}
