import AlcedoPixels

/// Floyd-Steinberg dithering: assigns palette colours and distributes the error to the neighbours.
struct Dithering: ~Copyable {
    /// Blue, green, red and alpha.
    private typealias Channels = SIMD4<Int16>

    private let nearest: NearestColors
    private let colors: [Channels]
    private let isOn: Bool

    init(_ palette: Palette, isOn: Bool) {
        nearest = NearestColors(palette)
        colors = palette.colors.map(Self.channels)
        self.isOn = isOn
    }

    /// Writes the palette indices of `pixels` to `indices`; `clear` for pixels that are not opaque.
    func assign(
        _ pixels: UnsafePointer<UInt32>,
        _ size: PixelSize,
        clear: UInt8,
        to indices: UnsafeMutablePointer<UInt8>
    ) {
        guard isOn else {
            for index in 0..<size.area {
                let pixel = pixels[index]
                indices[index] = pixel < 0xFF00_0000 ? clear : self.index(of: Self.channels(pixel))
            }
            return
        }
        // A pixel of padding on either side saves bounds checks.
        var errors = [Channels](repeating: .zero, count: size.width + 2)
        errors.withUnsafeMutableBufferPointer { errors in
            guard let first = errors.baseAddress.map({ $0 + 1 }) else { return }
            for y in 0..<size.height {
                let start = y * size.width
                dither(pixels + start, size.width, isReversed: y % 2 == 1, clear, indices + start, first)
            }
        }
    }

    /// Assigns a row's colours.
    ///
    /// Errors are in sixteenths. `errors` has those of the row above, and receives those for the row below after the pixel
    /// that is read.
    private func dither(
        _ row: UnsafePointer<UInt32>,
        _ width: Int,
        isReversed: Bool,
        _ clear: UInt8,
        _ indices: UnsafeMutablePointer<UInt8>,
        _ errors: UnsafeMutablePointer<Channels>
    ) {
        let step = isReversed ? -1 : 1
        var x = isReversed ? width - 1 : 0
        // What the pixels so far add to the next pixel, to the one below the last pixel, and to the one below this one.
        var (ahead, below, belowAhead) = (Channels.zero, Channels.zero, Channels.zero)
        for _ in 0..<width {
            let pixel = row[x]
            var error = Channels.zero
            if pixel < 0xFF00_0000 {
                indices[x] = clear
            } else {
                var wanted = Self.channels(pixel) &+ (errors[x] &+ ahead &+ 8) &>> 4
                wanted.clamp(lowerBound: .zero, upperBound: Channels(repeating: 255))
                let index = index(of: wanted)
                indices[x] = index
                error = wanted &- colors[Int(index)]
            }
            ahead = error &* 7
            errors[x - step] = below &+ error &* 3
            below = belowAhead &+ error &* 5
            belowAhead = error
            x += step
        }
        errors[x - step] = below
    }

    @inline(__always)
    private func index(of color: Channels) -> UInt8 {
        UInt8(truncatingIfNeeded: nearest.index(red: color[2], green: color[1], blue: color[0]))
    }

    @inline(__always)
    private static func channels(_ color: UInt32) -> Channels {
        // Safe because both are 4 bytes of plain bits.
        Channels(truncatingIfNeeded: unsafeBitCast(color.littleEndian, to: SIMD4<UInt8>.self))
    }
}
