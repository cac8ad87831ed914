package import AlcedoPixels
import Glibc

/// The structural similarity (SSIM) of pictures with one of them (Wang et al., 2004): the mean over the luma, with a
/// Gaussian window of 11 pixels and a deviation of 1.5.
package struct Similarity {
    private let reference: Bitmap

    /// `reference` may have any alpha and depth.
    package init(to reference: Bitmap) throws(CodecError) { self.reference = try reference.standard() }

    /// From -1 to 1, for equal pictures; of translucent ones the lower of that over white and over black.
    ///
    /// An opaque `bitmap` stands for a file without alpha, whose encoder has drawn the reference over white. The window
    /// does not leave the picture; one of fewer than 11 pixels a side is extended by its edge.
    ///
    /// - Precondition: both have the same size.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)``.
    package func ssim(of bitmap: Bitmap) throws(CodecError) -> Double {
        let bitmap = try bitmap.standard()
        precondition(bitmap.size == reference.size, "only pictures of one size can be compared")
        let overWhite = try ssim(of: bitmap, over: 255)
        guard bitmap.alpha != .opaque else { return overWhite }
        return try min(overWhite, ssim(of: bitmap, over: 0))
    }

    private func ssim(of bitmap: Bitmap, over backdrop: Float) throws(CodecError) -> Double {
        var window = try SimilarityWindow(width: bitmap.width)
        return reference.withUnsafeBytes { one in
            bitmap.withUnsafeBytes { other in
                let (width, height) = (bitmap.width, bitmap.height)
                let first = LumaRows(one, width, reference.alpha, backdrop)
                let second = LumaRows(other, width, bitmap.alpha, backdrop)
                for y in 0..<max(height, SimilarityWindow.side) {
                    window.add(first, second, row: min(y, height - 1))
                }
                return window.mean
            }
        }
    }
}

/// The luma of a bitmap's rows over a grey.
private struct LumaRows {
    private let pixels: UnsafePointer<UInt32>?
    private let width: Int
    private let alpha: Bitmap.Alpha
    private let backdrop: Float

    init(_ bytes: UnsafeRawBufferPointer, _ width: Int, _ alpha: Bitmap.Alpha, _ backdrop: Float) {
        pixels = bytes.bindMemory(to: UInt32.self).baseAddress
        (self.width, self.alpha, self.backdrop) = (width, alpha, backdrop)
    }

    /// Writes a row, less 128, which keeps squares small and so exact.
    func write(_ y: Int, to row: UnsafeMutablePointer<Float>) {
        guard let pixels = pixels.map({ $0 + y * width }) else { return }
        for x in 0..<width {
            let pixel = pixels[x]
            let luma =
                0.299 * Float(pixel >> 16 & 0xFF) + 0.587 * Float(pixel >> 8 & 0xFF)
                + 0.114 * Float(pixel & 0xFF)
            row[x] = luma - 128
        }
        guard alpha != .opaque else { return }
        for x in 0..<width {
            let opacity = Float(pixels[x] >> 24) / 255
            let own = (row[x] + 128) * (alpha == .straight ? opacity : 1)
            row[x] = own + backdrop * (1 - opacity) - 128
        }
    }
}

/// The last 11 rows, filtered across, and the sum of the similarities so far.
private struct SimilarityWindow: ~Copyable {
    private typealias Lanes = SIMD8<Float>

    static let side = 11

    /// Means of both, of the sum of their squares, and of their product.
    private static let maps = 4

    private static let weights: [Float] = {
        let weights = (0..<side).map { exp(-pow(Double($0 - side / 2), 2) / (2 * 1.5 * 1.5)) }
        return weights.map { Float($0 / weights.reduce(0, +)) }
    }()

    private let pictureWidth: Int

    /// At least that of the window.
    private let width: Int

    /// Floats of a row, with room for the window's width and whole vectors after it.
    private let stride: Int

    /// Of each map a row as it is, then eleven filtered ones.
    private let memory: UnsafeMutablePointer<Float>

    private var rowCount = 0
    private var sum = 0.0

    init(width: Int) throws(CodecError) {
        self.width = max(width, Self.side)
        pictureWidth = width
        stride = (self.width + Self.side + 15) / 8 * 8
        let count = stride * Self.maps * (1 + Self.side)
        memory = try PixelMemory.allocate(byteCount: count * MemoryLayout<Float>.stride)
            .bindMemory(to: Float.self, capacity: count)
        memory.initialize(repeating: 0, count: count)
    }

    deinit { PixelMemory.free(memory) }

    /// The mean of all places of the window.
    var mean: Double { sum / Double((width - Self.side + 1) * (rowCount - Self.side + 1)) }

    mutating func add(_ one: LumaRows, _ other: LumaRows, row y: Int) {
        let (first, second) = (memory, memory + stride)
        let (squares, products) = (memory + 2 * stride, memory + 3 * stride)
        one.write(y, to: first)
        other.write(y, to: second)
        for x in pictureWidth..<max(width, pictureWidth) {
            (first[x], second[x]) = (first[pictureWidth - 1], second[pictureWidth - 1])
        }
        for x in Swift.stride(from: 0, to: width, by: 8) {
            let (a, b) = (Self.load(first + x), Self.load(second + x))
            Self.store(a * a + b * b, to: squares + x)
            Self.store(a * b, to: products + x)
        }
        filterAcross()
        rowCount += 1
        if rowCount >= Self.side { sum += similarity() }
    }

    /// The first map's filtered row, with those of the other maps after it.
    private func filtered(_ row: Int) -> UnsafeMutablePointer<Float> {
        memory + stride * Self.maps * (1 + row % Self.side)
    }

    private func filterAcross() {
        let target = filtered(rowCount)
        let weights = Self.weights
        for map in 0..<Self.maps {
            let (source, target) = (memory + map * stride, target + map * stride)
            for x in Swift.stride(from: 0, to: width - Self.side + 1, by: 8) {
                var mean = Lanes.zero
                for index in 0..<Self.side { mean += Self.load(source + x + index) * weights[index] }
                Self.store(mean, to: target + x)
            }
        }
    }

    /// The sum over the places of the window whose last row is the last one.
    private func similarity() -> Double {
        let places = width - Self.side + 1
        let weights = Self.weights
        let rows = (0..<Self.side).map { filtered(rowCount - Self.side + $0) }
        // (0.01 × 255)² and (0.03 × 255)².
        let (c1, c2) = (Float(6.5025), Float(58.5225))
        var sum = 0.0
        for x in Swift.stride(from: 0, to: places, by: 8) {
            var (a, b, squares, products) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
            for index in 0..<Self.side {
                let (row, weight) = (rows[index] + x, weights[index])
                a += Self.load(row) * weight
                b += Self.load(row + stride) * weight
                squares += Self.load(row + 2 * stride) * weight
                products += Self.load(row + 3 * stride) * weight
            }
            let variances = squares - a * a - b * b
            let covariance = products - a * b
            let (meanA, meanB) = (a + 128, b + 128)
            let means: Lanes = 2 * meanA * meanB
            let squaredMeans: Lanes = meanA * meanA + meanB * meanB
            let luminance: Lanes = (means + c1) / (squaredMeans + c1)
            let structure: Lanes = 2 * covariance + c2
            let found: Lanes = luminance * structure / (variances + c2)
            for lane in 0..<min(8, places - x) { sum += Double(found[lane]) }
        }
        return sum
    }

    @inline(__always)
    private static func load(_ place: UnsafePointer<Float>) -> Lanes {
        UnsafeRawPointer(place).loadUnaligned(as: Lanes.self)
    }

    @inline(__always)
    private static func store(_ lanes: Lanes, to place: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(place).storeBytes(of: lanes, as: Lanes.self)
    }
}
