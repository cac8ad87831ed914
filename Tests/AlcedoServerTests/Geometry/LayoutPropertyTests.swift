import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoServer

extension SeededGenerator {
    fileprivate mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: 0..<values.count, using: &self)]
    }
}

struct `Every layout` {
    private let sides = [0, 0, 1, 2, 3, 7, 16, 100, 299, 300, 301, 4000, 16383, 99_999_999, .max]
    private let factors: [Double] = [
        1, 1, 1, 0.5, 2, 1.7, 0.001, 1e9, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]
    private let offsets: [Double] = [0, 0, -0.0, 0.3, -0.7, 1, -1, 10, 1e300, -.greatestFiniteMagnitude]
    private let crops = [0, 0.1, 0.5, 0.999, 1, 1.5, 99, 5000, 1e300]

    private func gravity(_ random: inout SeededGenerator) -> Gravity {
        let anchor = random.pick(Gravity.Anchor.allCases)
        let share = anchor == .focusPoint
        return Gravity(
            anchor, x: share ? .random(in: 0...1, using: &random) : random.pick(offsets),
            y: share ? .random(in: 0...1, using: &random) : random.pick(offsets))
    }

    private func options(_ random: inout SeededGenerator) -> ProcessingOptions {
        var options = ProcessingOptions()
        options.resizingType = random.pick(ResizingType.allCases)
        (options.width, options.height) = (random.pick(sides), random.pick(sides))
        if Bool.random(using: &random) {
            (options.minWidth, options.minHeight) = (random.pick(sides), random.pick(sides))
        }
        (options.zoomX, options.zoomY) = (random.pick(factors), random.pick(factors))
        options.dpr = random.pick(factors)
        options.enlarge = Bool.random(using: &random)
        options.extend = Extend(isEnabled: Bool.random(using: &random), gravity: gravity(&random))
        options.extendAspectRatio = Extend(
            isEnabled: Bool.random(using: &random), gravity: gravity(&random))
        options.gravity = gravity(&random)
        if Bool.random(using: &random) {
            options.crop = Crop(
                width: random.pick(crops), height: random.pick(crops), gravity: gravity(&random))
        }
        if Bool.random(using: &random) {
            options.padding = Padding(
                top: random.pick(sides), right: random.pick(sides), bottom: random.pick(sides),
                left: random.pick(sides))
        }
        return options
    }

    private func isInside(_ frame: PixelFrame, _ width: Int, _ height: Int) -> Bool {
        frame.x >= 0 && frame.y >= 0 && frame.width >= 1 && frame.height >= 1
            && frame.x + frame.width <= width && frame.y + frame.height <= height
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `every layout has its parts inside`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let size = PixelSize(width: max(random.pick(sides), 1), height: max(random.pick(sides), 1))
            let options = options(&random)
            let limit = random.pick([0, 0, 1, 10, 1000, 20000])
            let format = random.pick([nil, EncodedFormat.webp, .ico, .avif, .jpeg])
            let source = LayoutSource(size: size, isVector: Bool.random(using: &random))
            let layout = ImageLayout(
                source: source, options: options, maxResultDimension: limit, format: format)
            let isSound =
                isInside(layout.crop, size.width, size.height)
                && isInside(layout.cut, layout.scaled.width, layout.scaled.height)
                && isInside(
                    PixelFrame(
                        x: layout.origin.x, y: layout.origin.y, width: layout.cut.width,
                        height: layout.cut.height),
                    layout.canvas.width, layout.canvas.height)
                && layout.canvas.area < .max && layout.dpr > 0 && layout.dpr.isFinite
                && (1...layout.canvas.width).contains(layout.result.width)
                && (1...layout.canvas.height).contains(layout.result.height)
            let isShort =
                max(layout.result.width, layout.result.height) <= format.flatMap(FormatSides.longest)
                ?? .max
            let isLimited = limit == 0 || max(layout.result.width, layout.result.height) <= limit
            guard !isSound || !isShort || !isLimited else { continue }
            Issue.record("\(size) \(options) limit \(limit): \(layout)")
            return
        }
    }

    /// What can be said of a fit without knowing how it is calculated.
    @Test(arguments: 0..<5 as Range<UInt64>) func `every layout fits without enlarging, and fills exactly`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let width = Int.random(in: 1...5000, using: &random)
            let height = Int.random(in: 1...5000, using: &random)
            var options = ProcessingOptions()
            options.width = .random(in: 1...2000, using: &random)
            options.height = .random(in: 1...2000, using: &random)
            let source = LayoutSource(size: PixelSize(width: width, height: height))
            let fit = ImageLayout(source: source, options: options)
            #expect(
                fit.canvas.width <= min(options.width, width)
                    && fit.canvas.height <= min(options.height, height))
            #expect(
                fit.canvas.width == options.width || fit.canvas.height == options.height
                    || fit.canvas == source.size)
            options.resizingType = .fill
            options.enlarge = true
            let fill = ImageLayout(source: source, options: options)
            #expect(fill.canvas == PixelSize(width: options.width, height: options.height))
            options.extend.isEnabled = true
            options.resizingType = .fit
            options.enlarge = false
            #expect(ImageLayout(source: source, options: options).canvas == fill.canvas)
        }
    }
}
