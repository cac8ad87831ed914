/// Reads samples of rows as numbers from 0 to 65,535, whatever their size and format.
///
/// Integers are linear from the lowest to the highest value that their bits have, floating-point numbers from 0 to 1;
/// those outside are clipped. The numbers of a palette's colours stay as they are.
struct TIFFUnpacker {
    private let samples: TIFFSamples
    /// For each sample of fewer than 16 bits its number.
    private let levels: [UInt16]
    /// Exchanges the two halves of signed numbers, so that they are in order.
    private let sign: UInt64

    init(_ samples: TIFFSamples) {
        self.samples = samples
        let bits = samples.bits
        let sign: UInt64 = samples.number == .signed ? 1 << UInt64(bits - 1) : 0
        self.sign = sign
        guard bits < 16 else {
            levels = []
            return
        }
        let most: UInt64 = 1 << UInt64(bits) - 1
        levels = (0...most).map { UInt16((($0 ^ sign) * 65535 + most / 2) / most) }
    }

    /// Writes the numbers that a sample has in `count` pixels from `start` on, to `target` from `place` on.
    func unpack(
        _ sample: Int, of row: RawSpan, from start: Int, count: Int, to target: inout [UInt16],
        at place: Int
    ) {
        let step = samples.isPlanar ? 1 : samples.perPixel
        let first = samples.isPlanar ? start : start * step + sample
        /// Calls `number` with the index of each sample in the row.
        @inline(__always) func fill(_ number: (Int) -> UInt16) {
            for index in 0..<count { target[place + index] = number(first + index * step) }
        }
        let bits = samples.bits
        if samples.colors == .palette, sample == 0 {
            return bits == 16 ? fill { row.number($0) } : fill { UInt16(row.bits(bits, at: $0 * bits)) }
        }
        switch (samples.number, bits) {
        case (.float, 16):
            fill { Self.level(Self.float(UInt32(row.number($0) as UInt16), exponent: 5, fraction: 10)) }
        case (.float, 24): fill { Self.level(Self.float(row.number24($0), exponent: 7, fraction: 16)) }
        case (.float, 32): fill { Self.level(Float(bitPattern: row.number($0))) }
        case (.float, _): fill { Self.level(Float(Double(bitPattern: row.number($0)))) }
        case (_, 8): fill { levels[Int(row.number($0) as UInt8)] }
        case (_, ..<16): fill { levels[row.bits(bits, at: $0 * bits)] }
        case (_, 16): fill { row.number($0) ^ UInt16(sign) }
        case (_, 24): fill { Self.level(UInt64(row.number24($0)) ^ sign, bits) }
        case (_, 32): fill { Self.level(UInt64(row.number($0) as UInt32) ^ sign, bits) }
        case (_, 64): fill { Self.level(((row.number($0) as UInt64) ^ sign) >> 32, 32) }
        default: fill { Self.level(UInt64(row.bits(bits, at: $0 * bits)) ^ sign, bits) }
        }
    }

    /// A number of up to 32 bits.
    private static func level(_ number: UInt64, _ bits: Int) -> UInt16 {
        let most: UInt64 = 1 << UInt64(bits) - 1
        return UInt16((number * 65535 + most / 2) / most)
    }

    /// Not a number is 0.
    private static func level(_ number: Float) -> UInt16 {
        number > 0 ? UInt16(min(number, 1) * 65535 + 0.5) : 0
    }

    /// A number that has a sign, so many bits of exponent and so many of a fraction, as in IEEE 754.
    private static func float(_ number: UInt32, exponent: UInt32, fraction: UInt32) -> Float {
        let most: UInt32 = 1 << exponent - 1
        let (power, digits) = (number >> fraction & most, number & (1 << fraction - 1))
        guard number >> (exponent + fraction) == 0, power < most || digits == 0 else { return 0 }
        guard power < most else { return .infinity }
        let bias = most / 2
        if power == 0 {
            return Float(sign: .plus, exponent: 1 - Int(bias + fraction), significand: Float(digits))
        }
        return Float(bitPattern: (power + 127 - bias) << 23 | digits << (23 - fraction))
    }
}

extension RawSpan {
    /// The number at an index, in the order of this machine, which libtiff has established.
    @inline(__always)
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(_ index: Int) -> Number {
        unsafeLoadUnaligned(fromByteOffset: index * MemoryLayout<Number>.size, as: Number.self)
    }

    /// As `number`, for three bytes.
    @inline(__always)
    fileprivate func number24(_ index: Int) -> UInt32 {
        let low: UInt16 = unsafeLoadUnaligned(fromByteOffset: index * 3, as: UInt16.self)
        return UInt32(low) | UInt32(unsafeLoad(fromByteOffset: index * 3 + 2, as: UInt8.self)) << 16
    }

    /// The number in up to 32 bits from bit `place` on; the highest bits of bytes and numbers are first.
    @inline(__always)
    fileprivate func bits(_ count: Int, at place: Int) -> Int {
        let end = place + count
        var number = 0
        for index in place >> 3...(end - 1) >> 3 {
            number = number << 8 | Int(unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return number >> (-end & 7) & (1 << count - 1)
    }
}
