/// Decodes the blocks of one component at reduced size.
final class ReducedComponent {
    /// Blocks per MCU, horizontally and vertically.
    let across: Int
    let down: Int
    let block: ReducedBlock

    /// The multiplier of a coefficient, and its position.
    private struct Target {
        var step: Int32
        var position: Int32
    }

    private let dc: HuffmanTable
    private let ac: HuffmanTable
    private let targets: UnsafeMutablePointer<Target>
    /// 16 coefficients, and one element for all unused ones; 0 between blocks.
    private let values: UnsafeMutablePointer<Int32>
    private let prediction: UnsafeMutablePointer<Int32>

    init(_ component: JPEGScan.Component, block: ReducedBlock) {
        across = component.across
        down = component.down
        self.block = block
        dc = component.dc
        ac = component.ac
        prediction = .allocate(capacity: 1)
        prediction.initialize(to: 0)
        values = .allocate(capacity: 20)
        values.initialize(repeating: 0, count: 20)
        targets = .allocate(capacity: 64)
        for index in 0..<64 {
            targets[index] = Target(
                step: component.quantization[index], position: Int32(block.positions[index]))
        }
    }

    deinit {
        prediction.deallocate()
        values.deallocate()
        targets.deallocate()
    }

    /// Resets the DC predictor, as after a restart marker.
    func restart() { prediction.pointee = 0 }

    /// Decodes a block (T.81, F.2.2); false if a code is invalid.
    @inline(__always)
    func decode(
        _ bits: inout JPEGBits,
        to samples: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) -> Bool {
        bits.refill()
        let size = Self.takeSymbol(&bits, dc)
        // Differences of 8-bit samples have at most 11 bits (T.81, table F.1).
        guard size < 12 else { return false }
        prediction.pointee &+= bits.takeValue(size)
        let average = prediction.pointee &* targets[0].step
        if block.count == 1 {
            // The mean is an eighth of the coefficient; 1028 is eight times 128.5, the middle grey and one half.
            samples.pointee = UInt8(truncatingIfNeeded: max(0, min(255, (average &+ 1028) &>> 3)))
            return Self.skip(from: 1, &bits, ac)
        }
        var index = 1
        while index < block.count {
            if bits.count < 32 { bits.refill() }
            let detail = ac.coefficients[bits.peek(HuffmanTable.coefficientLookupBits)]
            if detail.width > 0 {
                bits.skip(Int(detail.width))
                store(Int32(detail.first), at: index &+ Int(detail.beforeFirst))
                store(Int32(detail.second), at: index &+ Int(detail.beforeSecond))
                index &+= Int(detail.positions)
                guard detail.isEnd else { continue }
                if index == 1 {
                    block.fill(average, to: samples, stride: stride)
                    return true
                }
                index = 64
                break
            }
            let symbol = Self.takeSymbol(&bits, ac)
            let (run, size) = (symbol &>> 4, symbol & 15)
            if size == 0, run < 15 {
                index = 64
                break
            }
            guard run < 16 else { return false }
            store(bits.takeValue(size), at: index &+ run)
            index &+= run &+ 1
        }
        values[0] = average
        block.write(values, to: samples, stride: stride)
        values.update(repeating: 0, count: 20)
        return index == 64 || Self.skip(from: index, &bits, ac)
    }

    /// Stores a dequantised coefficient.
    ///
    /// `index` is at most 55: 24, the last used position, plus two coefficients that each follow 15 zeros.
    @inline(__always)
    private func store(_ value: Int32, at index: Int) {
        let target = targets[index]
        values[Int(target.position)] = value &* target.step
    }

    @inline(__always)
    private static func skip(from index: Int, _ bits: inout JPEGBits, _ table: HuffmanTable) -> Bool {
        var index = index
        while index < 64 {
            if bits.count < 32 { bits.refill() }
            let skip = Int(table.skips[bits.peek(HuffmanTable.lookupBits)])
            let after = index &+ (skip &>> 5 & 127)
            if skip > 0, after < 64 {
                bits.skip(skip & 31)
                if skip >= 1 << 15 { return true }
                index = after
            } else {
                // A long code, or the 64th coefficient.
                let symbol = takeSymbol(&bits, table)
                if symbol & 15 == 0, symbol < 0xF0 { return true }
                bits.skip(symbol & 15)
                index &+= symbol &>> 4 &+ 1
            }
        }
        return index == 64
    }

    /// Reads a code to its symbol, or ``HuffmanTable/invalid``; needs at least 16 bits.
    @inline(__always)
    private static func takeSymbol(_ bits: inout JPEGBits, _ table: HuffmanTable) -> Int {
        let entry = Int(table.symbols[bits.peek(HuffmanTable.lookupBits)])
        if entry > 0 {
            bits.skip(entry & 0xFF)
            return entry &>> 8
        }
        guard let code = table.longCode(bits.peek(16)) else { return HuffmanTable.invalid }
        bits.skip(code.length)
        return code.symbol
    }
}
