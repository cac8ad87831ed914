import AlcedoPixels

/// A TIFF of samples of any kind, and what TIFF 6.0 says that its pixels are.
struct SampleTIFF: CustomStringConvertible {
    enum Number: Int { case unsigned = 1, signed, float }
    enum Blocks: Equatable {
        case strips(rows: Int)
        case tiles(width: Int, height: Int)
    }
    enum Compression: Int, CaseIterable { case none = 1, lzw = 5, deflate = 8, packBits = 32773 }

    var size = PixelSize(width: 19, height: 11)
    var photometric = 2
    var bits = 8
    var number = Number.unsigned
    /// The kinds of the samples after the colours.
    var extras: [Int] = []
    /// Whether the file has them.
    var hasExtraField = true
    var isPlanar = false
    var blocks = Blocks.strips(rows: 5)
    var isBigEndian = false
    var compression = Compression.none
    /// 2 for differences of neighbours, 3 for those of the bytes of floating-point numbers.
    var predictor = 1
    /// Whether the lowest bit of a byte is first.
    var isReversed = false
    /// Fields besides those of the samples, as SHORTs, or bytes of type UNDEFINED.
    var fields: [Int: [Int]] = [:]
    var profile: [UInt8] = []

    var description: String {
        "photometric \(photometric), \(number) \(bits) bits, extras \(extras) \(hasExtraField), \(compression), "
            + "\(blocks), planar \(isPlanar), big-endian \(isBigEndian), reversed \(isReversed), "
            + "predictor \(predictor)"
    }

    var colors: Int { photometric == 5 ? 4 : photometric == 2 || photometric == 6 ? 3 : 1 }
    var perPixel: Int { colors + extras.count }
    private var most: UInt64 { .max >> UInt64(64 - bits) }

    /// The bits of a sample: the ends of the range and what is beyond, and then anything.
    func sample(_ x: Int, _ y: Int, _ index: Int) -> UInt64 {
        let place = y * size.width + x
        var mixed = UInt64(place * 16 + index + 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= mixed >> 32
        guard number == .float else {
            switch place {
            case 0: return 0
            case 1: return most
            case 2, 3: return most / 2 + UInt64(place - 2)
            default: return mixed & most
            }
        }
        let (exponent, fraction) = floatFormat
        let half: UInt64 = 1 << (exponent - 1) - 1
        let (one, beyond) = (half << fraction, (half * 2 + 1) << fraction)
        switch place {
        case 0: return 0
        case 1: return one
        case 2: return one + 1
        // -1, infinity, not a number and a subnormal number.
        case 3: return 1 << UInt64(bits - 1) | one
        case 4: return beyond
        case 5: return beyond | 1
        case 6: return 1
        default:
            let power = half - 1 - mixed >> 62
            return power << fraction | mixed & (UInt64(1) << fraction - 1)
        }
    }

    private var floatFormat: (exponent: UInt64, fraction: UInt64) {
        switch bits {
        case 16: (5, 10)
        case 24: (7, 16)
        case 32: (8, 23)
        default: (11, 52)
        }
    }

    /// The place in the palette that has first all reds, then all greens and all blues.
    private func palette(_ place: Int) -> Int { (place * 40_503 + 977) & 0xFFFF }

    // MARK: - What it shows

    /// Straight blue, green, red and alpha from 0 to 1; before the conversion from a profile.
    func pixel(_ x: Int, _ y: Int) -> [Double] {
        let alpha = hasExtraField ? extras.firstIndex { $0 == 1 || $0 == 2 } : nil
        let opacity = alpha.map { level(sample(x, y, colors + $0)) } ?? 1
        var values = (0..<colors).map { level(sample(x, y, $0)) }
        if let alpha, extras[alpha] == 1, photometric != 3, opacity > 0 {
            values = values.map { min($0 / opacity, 1) }
        }
        switch photometric {
        case 0: return [1 - values[0], 1 - values[0], 1 - values[0], opacity]
        case 1: return [values[0], values[0], values[0], opacity]
        case 2: return [values[2], values[1], values[0], opacity]
        case 3:
            let index = Int(sample(x, y, 0))
            // Programs write bytes times 256 or 257.
            return (0..<3).reversed().map { Double(palette($0 << bits + index) >> 8) / 255 } + [opacity]
        default:
            return (0..<3).reversed().map { (1 - values[$0]) * (1 - values[3]) } + [opacity]
        }
    }

    /// A sample as a number from 0 to 1.
    func level(_ sample: UInt64) -> Double {
        switch number {
        case .unsigned: return share(sample)
        case .signed:
            let lowest: UInt64 = 1 << UInt64(bits - 1)
            return share(sample ^ lowest)
        case .float:
            let (exponent, fraction) = floatFormat
            let whole: UInt64 = 1 << fraction
            let digits = Double(sample & (whole - 1)) / Double(whole)
            let bias = 1 << (Int(exponent) - 1) - 1
            let power = Int(sample >> fraction) & (bias * 2 + 1)
            if sample >> UInt64(bits - 1) == 1 { return 0 }
            if power == bias * 2 + 1 { return digits == 0 ? 1 : 0 }
            let value =
                power == 0
                ? Double(sign: .plus, exponent: 1 - bias, significand: digits)
                : Double(sign: .plus, exponent: power - bias, significand: 1 + digits)
            return min(value, 1)
        }
    }

    /// Of the highest number that a sample may be, in as many bits as a `Double` has.
    private func share(_ number: UInt64) -> Double {
        let beyond = UInt64(max(0, bits - 53))
        return Double(number >> beyond) / Double(most >> beyond)
    }

    // MARK: - The file

    var bytes: [UInt8] {
        let blocks = encodedBlocks
        var all: [(tag: Int, type: Int, values: [Int])] = [
            (256, 4, [size.width]), (257, 4, [size.height]),
            (258, 3, [Int](repeating: bits, count: perPixel)), (259, 3, [compression.rawValue]),
            (262, 3, [photometric]), (266, 3, [isReversed ? 2 : 1]), (277, 3, [perPixel]),
            (284, 3, [isPlanar ? 2 : 1]), (339, 3, [Int](repeating: number.rawValue, count: perPixel)),
        ]
        if isTiled {
            all += [(322, 3, [blockSize.width]), (323, 3, [blockSize.height])]
        } else {
            all.append((278, 3, [blockSize.height]))
        }
        if !extras.isEmpty, hasExtraField { all.append((338, 3, extras)) }
        if predictor > 1 { all.append((317, 3, [predictor])) }
        if photometric == 3 { all.append((320, 3, (0..<3 << bits).map(palette))) }
        if !profile.isEmpty { all.append((34675, 7, profile.map(Int.init))) }
        for (tag, values) in fields {
            all.removeAll { $0.tag == tag }
            all.append((tag, 3, values))
        }
        let places = isTiled ? 324 : 273
        all += [(places, 4, blocks.map { _ in 0 }), (isTiled ? 325 : 279, 4, blocks.map(\.count))]
        all.sort { $0.tag < $1.tag }
        var content: [UInt8] = []
        let start = 8 + 2 + all.count * 12 + 4
        let lengths = all.map { $0.values.count * ($0.type == 3 ? 2 : $0.type == 4 ? 4 : 1) }
        var next = start + lengths.reduce(0) { $0 + ($1 > 4 ? $1 : 0) }
        var offsets: [Int] = []
        for block in blocks {
            offsets.append(next)
            next += block.count
        }
        var directory = number(all.count, 2)
        for (field, length) in zip(all, lengths) {
            let values = field.tag == places ? offsets : field.values
            let encoded = values.flatMap { number($0, field.type == 3 ? 2 : field.type == 4 ? 4 : 1) }
            directory += number(field.tag, 2) + number(field.type, 2) + number(values.count, 4)
            if length > 4 {
                directory += number(start + content.count, 4)
                content += encoded
            } else {
                directory += encoded + [UInt8](repeating: 0, count: 4 - length)
            }
        }
        let signature = number(isBigEndian ? 0x4D4D : 0x4949, 2) + number(42, 2) + number(8, 4)
        return signature + directory + number(0, 4) + content + blocks.joined()
    }

    private var isTiled: Bool { if case .tiles = blocks { true } else { false } }

    private var blockSize: PixelSize {
        switch blocks {
        case .strips(let rows): PixelSize(width: size.width, height: rows)
        case .tiles(let width, let height): PixelSize(width: width, height: height)
        }
    }

    private var encodedBlocks: [[UInt8]] {
        let block = blockSize
        return (isPlanar ? (0..<perPixel).map { [$0] } : [Array(0..<perPixel)]).flatMap { samples in
            stride(from: 0, to: size.height, by: block.height).flatMap { top in
                stride(from: 0, to: size.width, by: block.width).map { left in
                    let height = isTiled ? block.height : min(block.height, size.height - top)
                    let rows = (top..<top + height).map { y in
                        packed(
                            (left..<left + block.width).flatMap { x in
                                samples.map { x < size.width && y < size.height ? sample(x, y, $0) : 0 }
                            })
                    }
                    let encoded = encode(rows.flatMap { $0 })
                    return isReversed ? encoded.map(reversed) : encoded
                }
            }
        }
    }

    /// A row of a block.
    private func packed(_ samples: [UInt64]) -> [UInt8] {
        let step = isPlanar ? 1 : perPixel
        switch predictor {
        case 2:
            return stored(
                samples.indices.map {
                    $0 < step ? samples[$0] : (samples[$0] &- samples[$0 - step]) & most
                })
        case 3:
            // The highest bytes of all samples, then the next.
            let planes = stride(from: bits - 8, through: 0, by: -8).flatMap { shift in
                samples.map { UInt8(truncatingIfNeeded: $0 >> UInt64(shift)) }
            }
            return planes.indices.map { $0 < step ? planes[$0] : planes[$0] &- planes[$0 - step] }
        default: return stored(samples)
        }
    }

    private func stored(_ samples: [UInt64]) -> [UInt8] {
        if bits % 8 == 0 {
            return samples.flatMap { sample in
                let bytes = (0..<bits / 8).map { UInt8(truncatingIfNeeded: sample >> UInt64($0 * 8)) }
                return isBigEndian ? bytes.reversed() : bytes
            }
        }
        return Self.bytes(of: samples, bits: bits)
    }

    /// Numbers of so many bits, the highest first.
    private static func bytes(of numbers: [UInt64], bits: Int) -> [UInt8] {
        var (bytes, buffer, filled): ([UInt8], UInt64, Int) = ([], 0, 0)
        for number in numbers {
            (buffer, filled) = (buffer << UInt64(bits) | number, filled + bits)
            while filled >= 8 {
                filled -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt64(filled)))
            }
        }
        return filled == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: buffer << UInt64(8 - filled))]
    }

    private func reversed(_ byte: UInt8) -> UInt8 { (0..<8).reduce(0) { $0 << 1 | byte >> $1 & 1 } }

    /// Data that no compression has made smaller.
    private func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch compression {
        case .none: return bytes
        case .packBits:
            return stride(from: 0, to: bytes.count, by: 128).flatMap { start in
                let run = bytes[start..<min(start + 128, bytes.count)]
                return [UInt8(run.count - 1)] + run
            }
        case .lzw:
            // Codes of nine bits: the table is cleared before it needs longer ones.
            var codes: [UInt64] = []
            for (index, byte) in bytes.enumerated() {
                if index % 200 == 0 { codes.append(256) }
                codes.append(UInt64(byte))
            }
            return Self.bytes(of: codes + [257], bits: 9)
        case .deflate:
            var (low, high) = (1, 0)
            for byte in bytes {
                low = (low + Int(byte)) % 65521
                high = (high + low) % 65521
            }
            let stored = stride(from: 0, to: bytes.count, by: 65535).flatMap { start in
                let run = bytes[start..<min(start + 65535, bytes.count)]
                let length = [UInt8(run.count & 255), UInt8(run.count >> 8)]
                return [start + 65535 < bytes.count ? 0 : 1] + length + length.map { ~$0 } + run
            }
            return [0x78, 1] + stored
                + [high >> 8, high & 255, low >> 8, low & 255].map { UInt8($0) }
        }
    }

    private func number(_ number: Int, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
