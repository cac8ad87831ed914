import AlcedoTestSupport
import Glibc
import Testing

@testable import AlcedoCodecs

struct `A block that is decoded to few samples` {
    @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2), (4, 2), (2, 4), (4, 4)])
    func `a JPEG's block decoded to few samples has the averages of the waves that these can show`(
        width: Int, height: Int
    ) {
        let block = ReducedBlock(width: width, height: height)
        var random = SeededGenerator(seed: UInt64(10 * width + height))
        for round in 0..<200 {
            // Some within the range of samples, some beyond both ends of it.
            let most: Int32 = round < 150 ? 60 : 900
            var values = [Int32](repeating: 0, count: 20)
            var waves: [(column: Int, row: Int, value: Double)] = []
            for row in 0..<height {
                for column in 0..<width {
                    let value = Int32.random(in: -most...most, using: &random)
                    values[4 * column + row] = value
                    waves.append((column, row, Double(value)))
                }
            }
            var samples = [UInt8](repeating: 0, count: 5 * height)
            block.write(&values, to: &samples, stride: 5)
            for y in 0..<height {
                for x in 0..<width {
                    let exact = waves.reduce(128.0) {
                        $0 + $1.value * average($1.column, x, of: width) * average($1.row, y, of: height)
                    }
                    let sample = Double(samples[5 * y + x])
                    #expect(abs(sample - min(max(exact, 0), 255)) <= 0.6, "\(x), \(y) of round \(round)")
                }
            }
        }
    }

    /// A wave's mean over the pixels of sample `place` of `count` (T.81, A.3.3).
    private func average(_ frequency: Int, _ place: Int, of count: Int) -> Double {
        let pixels = place * 8 / count..<(place + 1) * 8 / count
        let sum = pixels.reduce(0.0) { $0 + cos(Double(2 * $1 + 1) * Double(frequency) * .pi / 16) }
        return (frequency == 0 ? 0.5.squareRoot() : 1) / 2 * sum / Double(pixels.count)
    }
}

struct `Codes that are looked up together` {
    /// Of two bits and more: runs of 15 with and without a value, ends, values of one to eight bits.
    private let symbols: [UInt8] = [0x01, 0x00, 0xF0, 0xF1, 0x08, 0x23, 0x02, 0x07]
    private let lengths = [2, 2, 3, 3, 4, 5, 6, 6]

    @Test func `codes of a JPEG looked up together are the same as one after the other`() throws {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths { counts[length - 1] += 1 }
        let codes = try #require(HuffmanTable(counts: counts, symbols: symbols, isAC: true))
        var seen: Set<Int> = []
        for bits in 0..<1 << HuffmanTable.coefficientLookupBits {
            let detail = codes.coefficients[bits]
            var (used, places) = (0, 0)
            var values: [Int: Int32] = [:]
            while used < Int(detail.width) {
                let (symbol, length) = try #require(code(bits, after: used))
                used += length
                let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
                if symbol == 0 {
                    #expect(detail.isEnd)
                    seen.insert(values.count + 10)
                    break
                }
                places += run
                let value = bits >> (HuffmanTable.coefficientLookupBits - used - size) & (1 << size - 1)
                used += size
                values[places] = value < (1 << size) >> 1 ? Int32(value - (1 << size) + 1) : Int32(value)
                places += 1
            }
            #expect(used == Int(detail.width) && places == Int(detail.positions))
            if detail.width == 0 { #expect(fits(bits) == false) }
            #expect(values[Int(detail.beforeFirst), default: 0] == detail.first)
            #expect(values[Int(detail.beforeSecond), default: 0] == detail.second)
            #expect(values.count < 2 || detail.beforeFirst < detail.beforeSecond)
            seen.insert(values.count)
        }
        #expect(seen == [0, 1, 2, 10, 11])
    }

    /// The code that starts after so many bits, if it ends within those that are looked up.
    private func code(_ bits: Int, after used: Int) -> (symbol: UInt8, length: Int)? {
        var (code, last) = (0, lengths[0])
        for (symbol, length) in zip(symbols, lengths) {
            code <<= length - last
            last = length
            let rest = HuffmanTable.coefficientLookupBits - used - length
            if rest >= 0, bits >> rest & (1 << length - 1) == code { return (symbol, length) }
            code += 1
        }
        return nil
    }

    private func fits(_ bits: Int) -> Bool {
        code(bits, after: 0).map { $0.length + Int($0.symbol & 15) <= HuffmanTable.coefficientLookupBits }
            ?? false
    }
}
