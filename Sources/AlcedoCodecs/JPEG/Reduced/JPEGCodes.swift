/// The Huffman codes of one table (ITU-T T.81, annex C), found by the bits that come next.
final class JPEGCodes {
    /// How many bits are looked up at once.
    static let width = 12

    /// The same for codes and their values together: few enough that all tables stay close to the processor.
    static let detailWidth = 10

    /// An invalid code: a run longer than a block, without a value.
    static let wrong = 1 << 12

    /// One code: its length in the low byte, its symbol above; 0 if it is longer than the lookup.
    let symbols: UnsafeMutablePointer<UInt16>

    /// The next one or two codes with their values; empty if the first one is longer than the lookup.
    ///
    /// Unused in DC tables.
    let details: UnsafeMutablePointer<Details>

    /// The coefficients that can be skipped at once; 0 if the first code is longer than the lookup.
    ///
    /// Covers all coefficients that start within the looked-up bits: their bits in the low 5 bits, their positions in the next
    /// 7, and in the highest bit whether the block ends. Unused in DC tables.
    let skips: UnsafeMutablePointer<UInt16>

    /// For each length, the exclusive upper bound of the first 16 bits, and the offset of the symbol.
    private var bounds: [(below: Int, offset: Int)] = []
    private let all: [UInt8]

    /// Nil unless `counts`, those of codes of 1 to 16 bits, make a code.
    init?(counts: [Int], symbols: [UInt8], areDetails: Bool) {
        let size = 1 << Self.width
        self.symbols = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        self.symbols.initialize(repeating: 0, count: size)
        skips = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        skips.initialize(repeating: 0, count: size)
        details = UnsafeMutablePointer<Details>.allocate(capacity: 1 << Self.detailWidth)
        details.initialize(repeating: Details(), count: 1 << Self.detailWidth)
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

    /// Length and symbol of a code longer than the lookup, at the start of 16 bits; nil if invalid.
    func longCode(_ bits: Int) -> (length: Int, symbol: Int)? {
        for length in Self.width + 1...16 where bits < bounds[length - 1].below {
            return (length, Int(all[bits >> (16 - length) + bounds[length - 1].offset]))
        }
        return nil
    }

    private func detail(_ bits: Int) -> Details {
        var detail = Details()
        for _ in 0..<2 {
            let left = Self.detailWidth - Int(detail.width)
            let entry = symbols[bits << (Self.width - left) & (1 << Self.width - 1)]
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

extension JPEGCodes {
    /// A coefficient or two, the end of the block, or a coefficient and the end; eight bytes.
    struct Details {
        /// The coefficients; 0 for those that are missing.
        private(set) var first: Int16 = 0
        private(set) var second: Int8 = 0

        /// How many bits all take; none if this is nothing.
        private(set) var width: UInt8 = 0

        /// How many places they fill.
        private(set) var places: UInt8 = 0

        /// Whether the block ends with them.
        private(set) var isEnd = false

        /// How many places there are before each coefficient; before one that is missing, as many as all fill.
        private(set) var beforeFirst: UInt8 = 0
        private(set) var beforeSecond: UInt8 = 0

        /// Adds a coefficient that follows `run` zeros; false if it does not fit.
        fileprivate mutating func append(_ value: Int32, after run: UInt8, taking bits: Int) -> Bool {
            if places == 0 {
                first = Int16(value)
                beforeFirst = run
                beforeSecond = run + 1
            } else if let value = Int8(exactly: value) {
                second = value
                beforeSecond = places + run
            } else {
                return false
            }
            places += run + 1
            width += UInt8(bits)
            return true
        }

        fileprivate mutating func end(taking bits: Int) {
            isEnd = true
            width += UInt8(bits)
        }
    }
}
