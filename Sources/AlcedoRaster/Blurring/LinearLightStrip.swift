import Glibc

/// A few rows or columns of pixels in premultiplied linear light, or of deep samples, filtered along their length.
final class LinearLightStrip {
    /// Lines that are filtered together: 16, or fewer so that they fit into 8 MiB.
    let width: Int

    private let length: Int
    private var pixels: UnsafeMutablePointer<FloatLanes>
    private var spare: UnsafeMutablePointer<FloatLanes>
    private let sums: UnsafeMutablePointer<FloatLanes>

    /// sRGB level to linear light, and back.
    private let lights: Table<Float>
    private let levels: Table<UInt8>

    init(length: Int) {
        self.length = length
        // Looked up once: each access of a global asks whether it is initialized.
        let (allLights, allLevels) = (TransferFunction.lights, TransferFunction.levels)
        lights = Table(count: 256) { Float(allLights[$0]) }
        levels = Table(count: TransferFunction.steps + 1) { allLevels[$0] }
        width = max(1, min(16, (8 << 20) / (length * MemoryLayout<FloatLanes>.stride)))
        pixels = .allocate(capacity: length * width)
        spare = .allocate(capacity: length * width)
        sums = .allocate(capacity: width)
        pixels.initialize(repeating: .zero, count: length * width)
        spare.initialize(repeating: .zero, count: length * width)
        sums.initialize(repeating: .zero, count: width)
    }

    deinit {
        pixels.deallocate()
        spare.deallocate()
        sums.deallocate()
    }

    /// Applies the box filter once.
    func blur(_ box: ExtendedBox) {
        let (last, edge, scale) = (length &- 1, box.edge, box.scale)
        start(reach: box.reach)
        for index in 0..<length {
            let before = pixels + max(0, index &- box.reach &- 1) &* width
            let outgoing = pixels + max(0, index &- box.reach) &* width
            let after = pixels + min(last, index &+ box.reach &+ 1) &* width
            let target = spare + index &* width
            for line in 0..<width {
                target[line] = (sums[line] + (before[line] + after[line]) * edge) * scale
                sums[line] += after[line] - outgoing[line]
            }
        }
        let output = spare
        spare = pixels
        pixels = output
    }

    /// Initializes ``sums`` to the box around the first pixel.
    private func start(reach: Int) {
        let inside = min(reach, length &- 1)
        for line in 0..<width {
            var sum = pixels[line] * Float(reach &+ 1)
            if inside > 0 { for index in 1...inside { sum += pixels[index &* width &+ line] } }
            sum += pixels[(length &- 1) &* width &+ line] * Float(reach &- inside)
            sums[line] = sum
        }
    }

    // MARK: - Loading and storing pixels

    /// Copies lines into the strip; `step` is the stride between the pixels of a line, `next` that between lines.
    func load(_ source: UnsafePointer<UInt32>, step: Int, next: Int, lines: Int) {
        for index in 0..<length {
            for line in 0..<lines {
                pixels[index &* width &+ line] = light(of: source[index &* step &+ line &* next])
            }
        }
    }

    /// Copies the strip into lines with the same strides.
    func store(to target: UnsafeMutablePointer<UInt32>, step: Int, next: Int, lines: Int) {
        for index in 0..<length {
            for line in 0..<lines {
                target[index &* step &+ line &* next] = pixel(of: pixels[index &* width &+ line])
            }
        }
    }

    /// As ``load(_:step:next:lines:)``, of samples of 16 bits; as they are encoded without `light`.
    func load(
        deep source: UnsafePointer<SIMD4<UInt16>>, _ light: DeepLight?, step: Int, next: Int, lines: Int
    ) {
        for index in 0..<length {
            for line in 0..<lines {
                let pixel = DeepPixel.unit(source[index &* step &+ line &* next])
                pixels[index &* width &+ line] = light?.light(of: pixel) ?? pixel
            }
        }
    }

    /// As ``store(to:step:next:lines:)``, to samples of 16 bits.
    func store(
        deep target: UnsafeMutablePointer<SIMD4<UInt16>>, _ light: DeepLight?, step: Int, next: Int,
        lines: Int
    ) {
        for index in 0..<length {
            for line in 0..<lines {
                let pixel = pixels[index &* width &+ line]
                target[index &* step &+ line &* next] = DeepPixel.samples(light?.pixel(of: pixel) ?? pixel)
            }
        }
    }

    @inline(__always)
    private func light(of pixel: UInt32) -> FloatLanes {
        let alpha = pixel >> 24
        if alpha == 0 { return .zero }
        return FloatLanes(
            light(of: pixel & 255, alpha), light(of: pixel >> 8 & 255, alpha),
            light(of: pixel >> 16 & 255, alpha), 1) * (Float(alpha) / 255)
    }

    /// The linear light of a premultiplied channel.
    @inline(__always)
    private func light(of channel: UInt32, _ alpha: UInt32) -> Float {
        lights[Int(min(255, (channel &* 255 &+ alpha / 2) / alpha))]
    }

    @inline(__always)
    private func pixel(of light: FloatLanes) -> UInt32 {
        let opacity = light[3]
        let alpha = UInt32((min(max(opacity, 0), 1) * 255).rounded())
        guard alpha > 0 else { return 0 }
        return channel(light[0] / opacity, alpha) | channel(light[1] / opacity, alpha) << 8
            | channel(light[2] / opacity, alpha) << 16 | alpha << 24
    }

    /// The premultiplied channel of some linear light.
    @inline(__always)
    private func channel(_ light: Float, _ alpha: UInt32) -> UInt32 {
        let step = (min(max(light, 0), 1) * Float(TransferFunction.steps)).rounded()
        return (UInt32(levels[Int(step)]) &* alpha &+ 127) / 255
    }
}
