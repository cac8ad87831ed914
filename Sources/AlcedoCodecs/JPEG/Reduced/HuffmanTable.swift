/// A Huffman table (ITU-T T.81, annex C), with lookups by the next bits.
final class HuffmanTable {
    static let lookupBits = 12

    /// The number of bits of a lookup of codes with their values; small enough for all tables to stay in the cache.
    static let coefficientLookupBits = 10

    /// An invalid code: a run longer than a block, without a value.
    static let invalid = 1 << 12

    /// One code: its length in the low byte, its symbol above; 0 if it is longer than the lookup.
    let symbols: UnsafeMutablePointer<UInt16>

    /// The next one or two codes with their values; empty if the first one is longer than the lookup.
    ///
    /// Unused in DC tables.
    let coefficients: UnsafeMutablePointer<Coefficients>

    /// The coefficients that can be skipped at once; 0 if the first code is longer than the lookup.
    ///
    /// Covers all coefficients that start within the looked-up bits: their bits in the low 5 bits, their positions in the next
    /// 7, and in the highest bit whether the block ends. Unused in DC tables.
    let skips: UnsafeMutablePointer<UInt16>

    /// For each length, the exclusive upper bound of the first 16 bits, and the offset of the symbol.
    private var bounds: [(below: Int, offset: Int)] = []
    private let all: [UInt8]

    /// Builds the lookups; nil if `counts`, the numbers of codes of 1 to 16 bits, are invalid.
    init?(counts: [Int], symbols: [UInt8], isAC: Bool) {
        let size = 1 << Self.lookupBits
        self.symbols = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        self.symbols.initialize(repeating: 0, count: size)
        skips = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        skips.initialize(repeating: 0, count: size)
        coefficients = UnsafeMutablePointer<Coefficients>.allocate(capacity: 1 << Self.coefficientLookupBits)
        coefficients.initialize(repeating: Coefficients(), count: 1 << Self.coefficientLookupBits)
        all = symbols
        var (code, place) = (0, 0)
        for (length, count) in zip(1..., counts) {
            bounds.append((below: (code + count) << (16 - length), offset: place - code))
            guard code + count <= 1 << length else { return nil }
            if length <= Self.lookupBits {
                let run = 1 << (Self.lookupBits - length)
                for index in 0..<count {
                    let entry = UInt16(symbols[place + index]) << 8 | UInt16(length)
                    (self.symbols + (code + index) * run).update(repeating: entry, count: run)
                }
            }
            place += count
            code = (code + count) << 1
        }
        guard isAC else { return }
        for bits in 0..<size { skips[bits] = skip(bits) }
        for bits in 0..<1 << Self.coefficientLookupBits { coefficients[bits] = detail(bits) }
    }

    deinit {
        symbols.deallocate()
        skips.deallocate()
        coefficients.deallocate()
    }

    /// Length and symbol of a code longer than the lookup, at the start of 16 bits; nil if invalid.
    func longCode(_ bits: Int) -> (length: Int, symbol: Int)? {
        for length in Self.lookupBits + 1...16 where bits < bounds[length - 1].below {
            return (length, Int(all[bits >> (16 - length) + bounds[length - 1].offset]))
        }
        return nil
    }

    private func detail(_ bits: Int) -> Coefficients {
        var detail = Coefficients()
        for _ in 0..<2 {
            let left = Self.coefficientLookupBits - Int(detail.width)
            let entry = symbols[bits << (Self.lookupBits - left) & (1 << Self.lookupBits - 1)]
            let (length, symbol) = (Int(entry & 0xFF), entry >> 8)
            let (run, size) = (UInt8(symbol >> 4), Int(symbol & 15))
            let rest = left - length - size
            guard length > 0, rest >= 0 else { break }
            if size == 0, run < 15 {
                detail.end(taking: length)
                break
            }
            let value = JPEGBits.value(bits >> rest & (1 << size - 1), size: size)
            guard detail.append(value, after: run, taking: length + size) else { break }
        }
        return detail
    }

    private func skip(_ bits: Int) -> UInt16 {
        var (used, positions) = (0, 0)
        // One more code adds up to 16 positions, and a block has 64.
        while used < Self.lookupBits, positions < 48 {
            let entry = symbols[bits << used & (1 << Self.lookupBits - 1)]
            let (length, symbol) = (Int(entry & 0xFF), Int(entry >> 8))
            guard length > 0, used + length <= Self.lookupBits else { break }
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 { return 1 << 15 | UInt16(positions << 5 | used + length) }
            used += length + size
            positions += run + 1
        }
        return UInt16(positions << 5 | used)
    }
}

extension HuffmanTable {
    /// One or two coefficients, the end of the block, or a coefficient and the end; eight bytes.
    struct Coefficients {
        /// The coefficients; 0 if missing.
        private(set) var first: Int16 = 0
        private(set) var second: Int8 = 0

        /// The number of bits of all; 0 if this is empty.
        private(set) var width: UInt8 = 0

        /// The number of positions, including the zeros before each coefficient.
        private(set) var positions: UInt8 = 0

        /// Whether the block ends with them.
        private(set) var isEnd = false

        /// The number of positions before each coefficient; before a missing one, `positions`.
        private(set) var beforeFirst: UInt8 = 0
        private(set) var beforeSecond: UInt8 = 0

        /// Appends a coefficient after `run` zeros; false if it does not fit.
        fileprivate mutating func append(_ value: Int32, after run: UInt8, taking bits: Int) -> Bool {
            if positions == 0 {
                first = Int16(value)
                beforeFirst = run
                beforeSecond = run + 1
            } else if let value = Int8(exactly: value) {
                second = value
                beforeSecond = positions + run
            } else {
                return false
            }
            positions += run + 1
            width += UInt8(bits)
            return true
        }

        fileprivate mutating func end(taking bits: Int) {
            isEnd = true
            width += UInt8(bits)
        }
    }
}
