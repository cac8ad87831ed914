/// The Huffman codes of one table (ITU-T T.81, annex C), found by the bits that come next.
final class JPEGCodes {
    /// How many bits are looked up at once.
    static let width = 12

    /// What no code stands for: a run that is longer than a block, and no value.
    static let wrong = 1 << 12

    /// What one code stands for: its length in the low byte, its symbol above; 0 if it is longer than looked up.
    let symbols: UnsafeMutablePointer<UInt16>

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
        if areDetails { for bits in 0..<size { skips[bits] = skip(bits) } }
    }

    deinit {
        symbols.deallocate()
        skips.deallocate()
    }

    /// Length and symbol of a code that is longer than what is looked up, at the start of 16 bits; nil if there is none.
    func longCode(_ bits: Int) -> (length: Int, symbol: Int)? {
        for length in Self.width + 1...16 where bits < bounds[length - 1].below {
            return (length, Int(all[bits >> (16 - length) + bounds[length - 1].offset]))
        }
        return nil
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
