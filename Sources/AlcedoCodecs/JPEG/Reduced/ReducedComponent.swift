/// How the blocks of one component are decoded to fewer samples.
final class ReducedComponent {
    /// Blocks in an MCU.
    let across: Int
    let down: Int
    let block: ReducedBlock

    /// The multiplier of a coefficient, and its position.
    private struct Target {
        var step: Int32
        var place: Int32
    }

    private let averages: JPEGCodes
    private let details: JPEGCodes
    private let targets: UnsafeMutablePointer<Target>
    /// Sixteen, and one for all that do not count; zeros between blocks.
    private let values: UnsafeMutablePointer<Int32>
    /// The DC predictor.
    private let prediction: UnsafeMutablePointer<Int32>

    init(_ component: JPEGScan.Component, block: ReducedBlock) {
        across = component.across
        down = component.down
        self.block = block
        averages = component.averages
        details = component.details
        prediction = .allocate(capacity: 1)
        prediction.initialize(to: 0)
        values = .allocate(capacity: 20)
        values.initialize(repeating: 0, count: 20)
        targets = .allocate(capacity: 64)
        for index in 0..<64 {
            targets[index] = Target(step: component.steps[index], place: Int32(block.places[index]))
        }
    }

    deinit {
        prediction.deallocate()
        values.deallocate()
        targets.deallocate()
    }

    /// Makes the next block's average relative to nothing, as after a restart marker.
    func restart() { prediction.pointee = 0 }

    /// Decodes a block (T.81, F.2.2); false if its codes are wrong.
    @inline(__always)
    func decode(
        _ bits: inout JPEGBits,
        to samples: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) -> Bool {
        bits.refill()
        let size = Self.takeSymbol(&bits, averages)
        guard size < 12 else { return false }
        prediction.pointee &+= bits.takeValue(size)
        let average = prediction.pointee &* targets[0].step
        if block.count == 1 {
            samples.pointee = UInt8(truncatingIfNeeded: max(0, min(255, (average &+ 1028) &>> 3)))
            return Self.skip(from: 1, &bits, details)
        }
        var index = 1
        while index < block.count {
            if bits.count < 32 { bits.refill() }
            let detail = details.details[bits.peek(JPEGCodes.detailWidth)]
            if detail.width > 0 {
                bits.skip(Int(detail.width))
                keep(Int32(detail.first), at: index &+ Int(detail.beforeFirst))
                keep(Int32(detail.second), at: index &+ Int(detail.beforeSecond))
                index &+= Int(detail.places)
                guard detail.isEnd else { continue }
                if index == 1 {
                    block.fill(average, to: samples, stride: stride)
                    return true
                }
                index = 64
                break
            }
            let symbol = Self.takeSymbol(&bits, details)
            let (run, size) = (symbol &>> 4, symbol & 15)
            if size == 0, run < 15 {
                index = 64
                break
            }
            guard run < 16 else { return false }
            keep(bits.takeValue(size), at: index &+ run)
            index &+= run &+ 1
        }
        values[0] = average
        block.write(values, to: samples, stride: stride)
        values.update(repeating: 0, count: 20)
        return index == 64 || Self.skip(from: index, &bits, details)
    }

    /// Notes a coefficient, at most the 55th: two from the last one on that counts, each behind 15 zeros.
    @inline(__always)
    private func keep(_ value: Int32, at index: Int) {
        let target = targets[index]
        values[Int(target.place)] = value &* target.step
    }

    /// Skips the coefficients from `index` on.
    @inline(__always)
    private static func skip(from index: Int, _ bits: inout JPEGBits, _ codes: JPEGCodes) -> Bool {
        var index = index
        while index < 64 {
            if bits.count < 32 { bits.refill() }
            let skip = Int(codes.skips[bits.peek(JPEGCodes.width)])
            let after = index &+ (skip &>> 5 & 127)
            if skip > 0, after < 64 {
                bits.skip(skip & 31)
                if skip >= 1 << 15 { return true }
                index = after
            } else {
                // A long code, or the last coefficient of all.
                let symbol = takeSymbol(&bits, codes)
                if symbol & 15 == 0, symbol < 0xF0 { return true }
                bits.skip(symbol & 15)
                index &+= symbol &>> 4 &+ 1
            }
        }
        return index == 64
    }

    /// Takes a code; at least 16 bits have to be there.
    ///
    /// A symbol is a byte; ``JPEGCodes/wrong`` is none.
    @inline(__always)
    private static func takeSymbol(_ bits: inout JPEGBits, _ codes: JPEGCodes) -> Int {
        let entry = Int(codes.symbols[bits.peek(JPEGCodes.width)])
        if entry > 0 {
            bits.skip(entry & 0xFF)
            return entry &>> 8
        }
        guard let code = codes.longCode(bits.peek(16)) else { return JPEGCodes.wrong }
        bits.skip(code.length)
        return code.symbol
    }
}
