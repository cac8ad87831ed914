import AlcedoCodecs
import AlcedoPixels

/// Converts the samples of rows to pixels.
struct TIFFColors {
    /// The pixels of a row that are unpacked at once; their numbers stay in the processor's cache.
    private static let pixelsAtOnce = 4096

    private let samples: TIFFSamples
    private let shown: [Int]
    private let unpacker: TIFFUnpacker
    /// The colours of a palette, as RGB0.
    private let palette: [UInt32]
    private let transform: ColorTransform?
    /// For samples of more than 8 bits.
    private let deep: Deep?
    /// Whether all pixels that went through `deep` are opaque.
    private var isOpaque = true
    /// Up to `pixelsAtOnce` numbers of each sample that is shown, one sample after the other.
    private var numbers: [UInt16]

    /// `palette` has the colours that samples are numbers of, as RGB0; it is empty for other samples.
    init(
        _ samples: TIFFSamples, palette: [UInt32], profile: [UInt8]?, to target: DeepTarget?,
        options: DecodeOptions
    ) {
        self.samples = samples
        shown = samples.shown
        unpacker = TIFFUnpacker(samples)
        self.palette = palette
        let source = profile.map { ColorSource(profile: $0, layout: samples.layout) }
        let isDeep = samples.isDeep || target != nil
        transform = isDeep ? nil : source?.transform
        deep = isDeep ? Deep(samples, source, to: target, options: options) : nil
        numbers = [UInt16](repeating: 0, count: shown.count * Self.pixelsAtOnce)
    }

    /// Writes the first `count` pixels of a row of `block`: RGBA, grey in the colours' place, BGRA for CMYK and for samples of
    /// more than 8 bits, or deep pixels.
    ///
    /// `place` is where the first of them is in the image.
    mutating func convert(
        _ row: Int, of block: TIFFBlock, to target: UnsafeMutableRawPointer, count: Int,
        at place: (x: Int, y: Int)
    ) {
        guard !isPlain else { return copy(block.row(row, plane: 0), to: Self.pixels(target, count)) }
        for start in stride(from: 0, to: count, by: Self.pixelsAtOnce) {
            let count = min(Self.pixelsAtOnce, count - start)
            for index in shown.indices {
                unpacker.unpack(
                    shown[index], of: block.row(row, plane: samples.isPlanar ? index : 0).bytes,
                    from: start,
                    count: count, to: &numbers, at: index * Self.pixelsAtOnce)
            }
            if samples.alpha?.isAssociated == true { divideByAlpha(count) }
            if let deep, let writer = deep.writer {
                let part: DeepPixels = Self.pixels(target + start * 8, count)
                mix(into: part, deep)
                isOpaque = writer(part) && isOpaque
            } else if let deep {
                let part: UnsafeMutableBufferPointer<UInt32> = Self.pixels(target + start * 4, count)
                isOpaque = mix(to: part, at: (place.x + start, place.y), deep) && isOpaque
            } else {
                mix(to: Self.pixels(target + start * 4, count))
            }
        }
    }

    private static func pixels<Pixel>(
        _ memory: UnsafeMutableRawPointer, _ count: Int
    ) -> UnsafeMutableBufferPointer<Pixel> {
        UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: Pixel.self, capacity: count), count: count)
    }

    /// Converts all pixels, once they are there, to those of a bitmap; returns the kind of its alpha.
    func finish(_ output: UnsafeMutableRawBufferPointer, _ size: PixelSize, options: DecodeOptions)
        -> Bitmap.Alpha
    {
        if let writer = deep?.writer { return writer.alpha(isOpaque: isOpaque) }
        let rows = PixelRows(output, size)
        if let deep { return deep.converter.alpha(isOpaque: isOpaque) }
        let isCMYK = samples.colors == .cmyk
        let finish = RowConverter(
            isCMYK ? nil : transform, hasAlpha: samples.alpha != nil,
            isPremultiplied: isPlain && samples.alpha?.isAssociated == true, options: options)
        return isCMYK ? finish.finish(bgra: rows) : finish(rows)
    }

    // MARK: - Bytes

    /// Whether samples are bytes of grey or RGB that can be copied, which is as fast as libtiff's own conversion.
    private var isPlain: Bool {
        guard deep == nil, samples.bits == 8, samples.number == .unsigned, !samples.isPlanar else {
            return false
        }
        return samples.colors == .rgb || samples.colors == .grey(isInverted: false)
    }

    private func copy(_ row: UnsafeRawBufferPointer, to target: UnsafeMutableBufferPointer<UInt32>) {
        let step = samples.perPixel
        guard let bytes = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        precondition(row.count >= target.count * step)
        @inline(__always) func fill(_ pixel: (UnsafePointer<UInt8>) -> UInt32) {
            for index in target.indices { target[index] = pixel(bytes + index * step) }
        }
        @inline(__always) func rgb(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
            UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
        }
        @inline(__always) func grey(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
            UInt32(bytes[0]) * 0x01_0101
        }
        switch (samples.colors, samples.alpha?.sample) {
        case (.rgb, nil): fill { rgb($0) | 0xFF00_0000 }
        case (.rgb, let alpha?): fill { rgb($0) | UInt32($0[alpha]) << 24 }
        case (_, nil): fill { grey($0) | 0xFF00_0000 }
        case (_, let alpha?): fill { grey($0) | UInt32($0[alpha]) << 24 }
        }
    }

    // MARK: - Numbers

    /// Undoes the multiplication of the colours.
    private mutating func divideByAlpha(_ count: Int) {
        let alphas = samples.colors.count * Self.pixelsAtOnce
        for index in 0..<count {
            let alpha = UInt32(numbers[alphas + index])
            guard alpha != 0, alpha != 65535 else { continue }
            for place in stride(from: index, to: alphas, by: Self.pixelsAtOnce) {
                numbers[place] = UInt16(min((UInt32(numbers[place]) * 65535 + alpha / 2) / alpha, 65535))
            }
        }
    }

    /// Converts the numbers to pixels; returns whether all are opaque.
    private func mix(
        to target: UnsafeMutableBufferPointer<UInt32>, at place: (x: Int, y: Int), _ deep: Deep
    ) -> Bool {
        guard let first = target.baseAddress else { return true }
        return withUnsafeTemporaryAllocation(of: SIMD4<UInt16>.self, capacity: target.count) { pixels in
            mix(into: pixels, deep)
            return deep.converter(pixels, to: first, at: place)
        }
    }

    /// Puts the numbers together to pixels; inks become sRGB.
    private func mix(into pixels: DeepPixels, _ deep: Deep) {
        /// A sample of pixel `index`.
        @inline(__always) func number(_ sample: Int, _ index: Int) -> UInt16 {
            numbers[sample * Self.pixelsAtOnce + index]
        }
        switch samples.colors {
        case .grey(let isInverted):
            let white: UInt16 = isInverted ? .max : 0
            for index in pixels.indices {
                let level = number(0, index) ^ white
                pixels[index] = SIMD4(level, level, level, .max)
            }
        case .rgb, .palette:
            for index in pixels.indices {
                pixels[index] = SIMD4(number(0, index), number(1, index), number(2, index), .max)
            }
        case .cmyk:
            for index in pixels.indices {
                pixels[index] =
                    ~SIMD4(number(0, index), number(1, index), number(2, index), number(3, index))
            }
            DeepTransform.convert(inks: pixels, by: deep.inks)
        }
        if samples.alpha != nil {
            let alpha = samples.colors.count
            for index in pixels.indices { pixels[index].w = number(alpha, index) }
        }
    }

    /// Converts the numbers to pixels of 8 bits.
    private func mix(to target: UnsafeMutableBufferPointer<UInt32>) {
        /// A sample of pixel `index`, as a byte.
        @inline(__always) func byte(_ sample: Int, _ index: Int) -> UInt32 {
            (UInt32(numbers[sample * Self.pixelsAtOnce + index]) + 128) / 257
        }
        switch samples.colors {
        case .grey(let isInverted):
            let white: UInt32 = isInverted ? 0xFF : 0
            for index in target.indices {
                target[index] = (byte(0, index) ^ white) * 0x01_0101 | 0xFF00_0000
            }
        case .rgb:
            for index in target.indices {
                target[index] = byte(0, index) | byte(1, index) << 8 | byte(2, index) << 16 | 0xFF00_0000
            }
        case .palette:
            for index in target.indices { target[index] = palette[Int(numbers[index])] | 0xFF00_0000 }
        case .cmyk:
            for index in target.indices {
                let inks =
                    byte(0, index) | byte(1, index) << 8 | byte(2, index) << 16 | byte(3, index) << 24
                target[index] = ~inks
            }
            let rows = PixelRows(
                UnsafeMutableRawBufferPointer(target), PixelSize(width: target.count, height: 1))
            transform == nil ? rows.multiplyByBlack() : transform?.apply(to: rows)
        }
        guard samples.alpha != nil else { return }
        let alpha = samples.colors.count
        for index in target.indices {
            target[index] = target[index] & 0xFF_FFFF | byte(alpha, index) << 24
        }
    }
}

extension TIFFSamples {
    var layout: ColorLayout {
        switch colors {
        case .grey: .grey
        case .rgb, .palette: .rgba
        case .cmyk: .invertedCMYK
        }
    }

    /// Whether samples have more than 8 bits; palettes are cut to those.
    var isDeep: Bool { bits > 8 && colors != .palette }
}

extension TIFFColors {
    /// Converts samples before they are cut to 8 bits.
    private struct Deep {
        let converter: DeepConverter
        /// Nil for CMYK without a profile, and for other colours, which the converter converts.
        let inks: DeepTransform?
        /// Writes deep pixels; nil for pixels of 8 bits.
        let writer: DeepWriter?

        init(
            _ samples: TIFFSamples, _ source: ColorSource?, to target: DeepTarget?, options: DecodeOptions
        ) {
            writer = target?.writer(alpha: samples.alpha == nil ? .none : .straight, options: options)
            let transform = source?.deepTransform
            inks = samples.colors == .cmyk ? transform : nil
            // The colours have been divided by an associated alpha.
            converter = DeepConverter(
                samples.colors == .cmyk ? nil : transform,
                alpha: samples.alpha == nil ? .none : .straight,
                options: options)
        }
    }
}
