import AlcedoPixels
import Glibc

/// Multiplies the light of pictures by their gain maps.
///
/// The result is PQ with the primaries of BT.2020: white of the picture is at 203 cd/m² (ITU-R BT.2408), and the map makes it
/// brighter in full, whatever a display can show.
struct BrightenedPicture {
    static let space = ColorSpace.codePoints(primaries: 9, transfer: 16)

    /// From samples to light relative to white, and from there to that of BT.2020.
    private let light: LightTables
    private let boosts: [LevelTable]
    private let parameters: GainMapParameters

    /// Nil for colours that are converted by tables of several dimensions.
    init?(_ space: ColorSpace, _ parameters: GainMapParameters) {
        guard let colors = SourceProfile(ColorSource(space, layout: .rgba)),
            let model = LightModel(colors, to: RGBEncoding(primaries: 9, transfer: 8))
        else { return nil }
        light = LightTables(model)
        self.parameters = parameters
        boosts = (0..<3).map { channel in
            let (least, most) = (parameters.least[channel], parameters.most[channel])
            let power = 1 / parameters.gamma[channel]
            return LevelTable { exp2(least + (most - least) * pow($0, power)) }
        }
    }

    /// `base` with the light of `map`, whose samples are as in the file and of any size.
    ///
    /// `base` is deep and opaque, in the space of this value; `extent` is the width and height of the whole picture in it.
    func bitmap(
        of base: Bitmap, extent: (width: Double, height: Double), map: Bitmap, until deadline: Deadline
    ) throws(CodecError) -> Bitmap {
        let colors = DeepColors(Self.space, SRGBConversion())
        var result = try PixelBuilder(size: base.size, alpha: .opaque, deep: colors)
        let width = base.width
        let rows = MapRows(map, width: width, extent: extent)
        var gains = [SIMD4<UInt16>](repeating: .zero, count: width)
        let step = Deadline.rows(of: width)
        try result.withUnsafeMutableBytes { (output) throws(CodecError) in
            let target = output.bindMemory(to: SIMD4<UInt16>.self)
            let source = base.storage.bindMemory(to: SIMD4<UInt16>.self)
            for y in 0..<base.height {
                if y % step == 0 { try deadline.check() }
                rows.read(y, to: &gains)
                write(
                    UnsafeBufferPointer(rebasing: source[y * width..<(y + 1) * width]), gains,
                    to: DeepPixels(rebasing: target[y * width..<(y + 1) * width]))
            }
        }
        return result.freeze()
    }

    private func write(
        _ source: UnsafeBufferPointer<SIMD4<UInt16>>, _ gains: [SIMD4<UInt16>], to target: DeepPixels
    ) {
        func channels(_ numbers: SIMD3<Double>) -> SIMD3<Float> { SIMD3<Float>(numbers) }
        let (added, removed) = (channels(parameters.baseOffset), channels(parameters.offset))
        let (columns, offset) = (light.columns, light.offset)
        light.withNumbers { red, green, blue in
            boosts[0].withNumbers { first in
                boosts[1].withNumbers { second in
                    boosts[2].withNumbers { third in
                        PQLevels.all.withNumbers { levels in
                            for index in target.indices {
                                let (pixel, gain) = (source[index], gains[index])
                                let own = SIMD3(red[Int(pixel.x)], green[Int(pixel.y)], blue[Int(pixel.z)])
                                let boost = SIMD3(
                                    first[Int(gain.x)], second[Int(gain.y)], third[Int(gain.z)])
                                let bright = (own + added) * boost - removed
                                let sum =
                                    offset + columns.0 * bright.x + columns.1 * bright.y
                                    + columns.2 * bright.z
                                // The matrix has blue first.
                                target[index] = SIMD4(
                                    PQLevels.level(of: sum.z, levels), PQLevels.level(of: sum.y, levels),
                                    PQLevels.level(of: sum.x, levels), .max)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// PQ's levels of light, from 0 to 65,535.
private enum PQLevels {
    /// By the fourth root of light, of which 1 is 10,000 cd/m²: in it, PQ's curve is nearly straight.
    static let all = LevelTable { root in
        RGBEncoding.Transfer.pq.level(ofLight: root * root * root * root * 10_000 / 203) * 65535
    }

    /// The level of light relative to white.
    @inline(__always)
    static func level(of light: Float, _ levels: LevelTable.Numbers) -> UInt16 {
        let share = max(0, min(light * (203 / 10_000), 1))
        return UInt16(levels[Int(share.squareRoot().squareRoot() * 65535 + 0.5)] + 0.5)
    }
}

/// The rows of a gain map, interpolated for the pixels of its picture.
private struct MapRows {
    private let map: Bitmap
    private let deep: Bool
    private let height: Double
    private let columns: [(first: Int, second: Int, share: Float)]

    init(_ map: Bitmap, width: Int, extent: (width: Double, height: Double)) {
        (self.map, deep, height) = (map, map.isDeep, extent.height)
        columns = (0..<width).map { Self.place($0, of: extent.width, in: map.width) }
    }

    /// The two samples around a pixel's centre, and the second one's share.
    private static func place(_ index: Int, of extent: Double, in count: Int) -> (
        first: Int, second: Int, share: Float
    ) {
        let center = (Double(index) + 0.5) / extent * Double(count) - 0.5
        let place = min(max(center, 0), Double(count - 1))
        let first = Int(place)
        return (first, min(first + 1, count - 1), Float(place - Double(first)))
    }

    func read(_ y: Int, to gains: inout [SIMD4<UInt16>]) {
        let row = Self.place(y, of: height, in: map.height)
        let (upper, lower) = (row.first * map.width, row.second * map.width)
        func mix(_ sample: (Int) -> SIMD4<Float>) {
            for (index, column) in columns.enumerated() {
                let above =
                    sample(upper + column.first) * (1 - column.share)
                    + sample(upper + column.second) * column.share
                let below =
                    sample(lower + column.first) * (1 - column.share)
                    + sample(lower + column.second) * column.share
                gains[index] = SIMD4<UInt16>(above * (1 - row.share) + below * row.share + 0.5)
            }
        }
        if deep {
            let samples = map.storage.bindMemory(to: SIMD4<UInt16>.self)
            mix { SIMD4<Float>(samples[$0]) }
        } else {
            let samples = map.storage.bindMemory(to: SIMD4<UInt8>.self)
            mix { index in
                let pixel = samples[index]
                return SIMD4(Float(pixel.z), Float(pixel.y), Float(pixel.x), 255) * 257
            }
        }
    }
}
