/// Inflates a short text (RFC 1950 and 1951) in bounds-checked Swift.
///
/// Headers are read in processes that leave untrusted bytes to no library. Nothing else is inflated here: libdeflate
/// and libspng are many times as fast.
struct TextInflater {
    private let input: [UInt8]
    private let limit: Int
    private var position: Int
    private var bits = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    /// The most blocks, each of which may have codes that take time to be made; zlib's have thousands of bytes.
    private static let mostBlocks = 256

    /// The inflated bytes of a zlib stream, whose checksum is ignored; nil if it is damaged or has more than `limit`
    /// bytes.
    static func inflated(_ stream: [UInt8], limit: Int) -> [UInt8]? {
        guard stream.count > 2, stream[0] & 15 == 8, stream[1] & 0x20 == 0,
            (Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0
        else { return nil }
        var inflater = TextInflater(input: stream, limit: limit, position: 2)
        return inflater.readBlocks() ? inflater.output : nil
    }

    private init(input: [UInt8], limit: Int, position: Int) {
        (self.input, self.limit, self.position) = (input, limit, position)
    }

    /// False if the stream is damaged or too long.
    private mutating func readBlocks() -> Bool {
        for _ in 0..<Self.mostBlocks {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isValid =
                switch kind {
                case 0: readStored()
                case 1: readCodes(.fixedLengths, .fixedDistances)
                case 2: readCodesOfTheirOwn()
                default: false
                }
            guard isValid else { return false }
            if isLast == 1 { return true }
        }
        return false
    }

    /// The next bits, the first one lowest; nil at the end.
    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard position < input.count else { return nil }
            bits |= Int(input[position]) << bitCount
            bitCount += 8
            position += 1
        }
        defer {
            bits >>= count
            bitCount -= count
        }
        return bits & (1 << count - 1)
    }

    private mutating func readStored() -> Bool {
        // At most 7 bits are left, the padding of the last byte.
        (bits, bitCount) = (0, 0)
        guard let count = take(16), let inverted = take(16), count == ~inverted & 0xFFFF,
            count <= input.count - position, count <= limit - output.count
        else { return false }
        output += input[position..<position + count]
        position += count
        return true
    }

    private mutating func readCodes(_ lengths: PrefixCode, _ distances: PrefixCode) -> Bool {
        while let symbol = next(lengths) {
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return true }
            guard symbol - 257 < Self.lengths.count else { return false }
            let length = Self.lengths[symbol - 257]
            guard let more = take(length.bits), let symbol = next(distances), symbol < Self.distances.count,
                let further = take(Self.distances[symbol].bits)
            else { return false }
            let (count, distance) = (length.base + more, Self.distances[symbol].base + further)
            guard distance <= output.count, count <= limit - output.count else { return false }
            for _ in 0..<count { output.append(output[output.count - distance]) }
        }
        return false
    }

    /// Reads a block whose codes precede it.
    private mutating func readCodesOfTheirOwn() -> Bool {
        guard let literals = take(5), let distances = take(5), let codes = take(4) else { return false }
        var lengths = [Int](repeating: 0, count: 19)
        for index in Self.order.prefix(codes + 4) {
            guard let length = take(3) else { return false }
            lengths[index] = length
        }
        guard let code = PrefixCode(lengths) else { return false }
        lengths = []
        let total = literals + 257 + distances + 1
        while lengths.count < total {
            guard let symbol = next(code) else { return false }
            switch symbol {
            case 0..<16: lengths.append(symbol)
            case 16:
                guard let last = lengths.last, let more = take(2) else { return false }
                lengths += [Int](repeating: last, count: 3 + more)
            default:
                guard let more = take(symbol == 17 ? 3 : 7) else { return false }
                lengths += [Int](repeating: 0, count: (symbol == 17 ? 3 : 11) + more)
            }
        }
        guard lengths.count == total, let first = PrefixCode(Array(lengths[..<(literals + 257)])),
            let second = PrefixCode(Array(lengths[(literals + 257)...]))
        else { return false }
        return readCodes(first, second)
    }

    private mutating func next(_ code: PrefixCode) -> Int? {
        var (value, first, index) = (0, 0, 0)
        for count in code.counts.dropFirst() {
            guard let bit = take(1) else { return nil }
            value |= bit
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    /// The order in which lengths of the first code come.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static let lengths: [(base: Int, bits: Int)] =
        (0..<28).map { index in
            let bits = max(0, index / 4 - 1)
            return (index < 4 ? 3 + index : 3 + (4 + index % 4) << bits, bits)
        } + [(258, 0)]

    private static let distances: [(base: Int, bits: Int)] = (0..<30).map { index in
        let bits = max(0, index / 2 - 1)
        return (index < 2 ? 1 + index : 1 + (2 + index % 2) << bits, bits)
    }
}

/// A canonical prefix code of at most 15 bits.
private struct PrefixCode {
    /// How many symbols have a length; none has 0.
    private(set) var counts = [Int](repeating: 0, count: 16)

    /// The symbols in the order of their codes.
    let symbols: [Int]

    static let fixedLengths = PrefixCode(
        valid: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = PrefixCode(valid: [Int](repeating: 5, count: 30))

    /// The code in which each symbol has so many bits, 0 for none; nil if there are more symbols than codes.
    init?(_ lengths: [Int]) {
        self.init(valid: lengths)
        var left = 1
        for count in counts.dropFirst() {
            left = left << 1 - count
            guard left >= 0 else { return nil }
        }
    }

    private init(valid lengths: [Int]) {
        for length in lengths where length > 0 { counts[length] += 1 }
        symbols = (1..<16).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
    }
}
