import AlcedoPixels

/// Floyd-Steinberg dithering: assigns palette colours and distributes the error to the neighbours.
struct Dithering {
    private var nearest: NearestColors
    private let isOn: Bool

    init(_ palette: Palette, isOn: Bool) {
        nearest = NearestColors(palette)
        self.isOn = isOn
    }

    /// Writes the palette indices of `pixels` to `indices`; `clear` for pixels that are not opaque.
    mutating func assign(
        _ pixels: UnsafePointer<UInt32>,
        _ size: PixelSize,
        clear: UInt8,
        to indices: UnsafeMutablePointer<UInt8>
    ) {
        guard isOn else {
            for index in 0..<size.area {
                let pixel = pixels[index]
                indices[index] =
                    pixel < 0xFF00_0000
                    ? clear
                    : UInt8(nearest.index(red: red(pixel), green: green(pixel), blue: blue(pixel)))
            }
            return
        }
        // A pixel of padding on either side saves bounds checks. Errors are in sixteenths.
        var errors = [SIMD4<Int32>](repeating: .zero, count: size.width + 2)
        var below = errors
        for y in 0..<size.height {
            let start = y * size.width
            dither(pixels + start, size.width, isReversed: y % 2 == 1, clear, indices + start, errors, &below)
            swap(&errors, &below)
            for index in below.indices { below[index] = .zero }
        }
    }

    private mutating func dither(
        _ row: UnsafePointer<UInt32>,
        _ width: Int,
        isReversed: Bool,
        _ clear: UInt8,
        _ indices: UnsafeMutablePointer<UInt8>,
        _ errors: [SIMD4<Int32>],
        _ below: inout [SIMD4<Int32>]
    ) {
        let step = isReversed ? -1 : 1
        var ahead = SIMD4<Int32>.zero
        var x = isReversed ? width - 1 : 0
        for _ in 0..<width {
            let pixel = row[x]
            if pixel < 0xFF00_0000 {
                indices[x] = clear
                ahead = .zero
            } else {
                var wanted = SIMD4(red(pixel), green(pixel), blue(pixel), 0)
                wanted &+= (errors[x + 1] &+ ahead &+ 8) &>> 4
                wanted.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
                let paletteIndex = nearest.index(red: wanted[0], green: wanted[1], blue: wanted[2])
                indices[x] = UInt8(truncatingIfNeeded: paletteIndex)
                let color = nearest.palette.colors[paletteIndex]
                let error = wanted &- SIMD4(red(color), green(color), blue(color), 0)
                ahead = error &* 7
                below[x + 1 - step] &+= error &* 3
                below[x + 1] &+= error &* 5
                below[x + 1 + step] &+= error
            }
            x += step
        }
    }

    private func red(_ color: UInt32) -> Int32 { Int32(truncatingIfNeeded: color >> 16 & 0xFF) }
    private func green(_ color: UInt32) -> Int32 { Int32(truncatingIfNeeded: color >> 8 & 0xFF) }
    private func blue(_ color: UInt32) -> Int32 { Int32(truncatingIfNeeded: color & 0xFF) }
}
