import AlcedoPixels
import AlcedoRaster
import Testing

struct `Resizing` {
    static let sizes = [
        PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 7), PixelSize(width: 9, height: 1),
        PixelSize(width: 3, height: 2), PixelSize(width: 8, height: 8), PixelSize(width: 33, height: 17),
        PixelSize(width: 100, height: 61),
    ]

    /// The largest and the mean difference of any channel.
    private func difference(_ left: Bitmap, _ right: Bitmap) -> (largest: Int, mean: Double) {
        #expect(left.size == right.size)
        var largest = 0
        var sum = 0
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                for index in 0..<left.count {
                    let distance = abs(Int(left[index]) - Int(right[index]))
                    if distance > largest { largest = distance }
                    sum += distance
                }
            }
        }
        return (largest, Double(sum) / Double(left.byteCount))
    }

    @Test(arguments: sizes, sizes)
    func `resizing is within one level of exact arithmetic`(from: PixelSize, to: PixelSize) throws {
        guard from.width < to.width * 6, from.height < to.height * 6 else { return }
        for alpha in [Bitmap.Alpha.opaque, .premultiplied] {
            let source = try Bitmap.noise(from.width, from.height, alpha: alpha)
            let result = try source.resized(to: to)
            let (largest, mean) = difference(result, try ReferenceResampler.resize(source, to: to))
            #expect(largest <= 1)
            if to.area > 50 { #expect(mean < 0.05) }
            #expect(result.alpha == alpha)
        }
    }

    @Test(arguments: [PixelSize(width: 16, height: 12), PixelSize(width: 5, height: 200)])
    func `resizing is close to exact arithmetic after averaging blocks`(to: PixelSize) throws {
        let source = try Bitmap.make(203, 150) { x, y in
            Pixel(
                blue: UInt8(x),
                green: UInt8(y),
                red: UInt8((127.5 + 120 * cosine(Double(x + 2 * y) / 40)).rounded())
            )
        }
        let (largest, mean) = difference(
            try source.resized(to: to),
            try ReferenceResampler.resize(source, to: to)
        )
        #expect(largest <= 2)
        #expect(mean < 0.6)
    }

    @Test(arguments: sizes, sizes)
    func `resizing keeps a flat colour exactly`(from: PixelSize, to: PixelSize) throws {
        let pixels = [
            Pixel(blue: 0, green: 0, red: 0, alpha: 0), Pixel(blue: 1, green: 0, red: 1, alpha: 1),
            Pixel(blue: 2, green: 63, red: 64, alpha: 64), Pixel(blue: 42, green: 127, red: 63, alpha: 127),
            Pixel(blue: 127, green: 128, red: 129, alpha: 129),
            Pixel(blue: 200, green: 254, red: 1, alpha: 254),
            Pixel(blue: 255, green: 129, red: 200, alpha: 255),
        ]
        for pixel in pixels {
            let result = try Bitmap.flat(from.width, from.height, pixel).resized(to: to)
            #expect(result.size == to)
            #expect(result.isFlat(pixel))
        }
    }

    /// The last of them has a block of the longest sides there are, and narrower ones beside it.
    @Test(arguments: [(3000, 1), (1, 3000), (770, 765)])
    func `resizing keeps a flat colour exactly in a reduction to one pixel`(width: Int, height: Int) throws {
        let pixel = Pixel(blue: 1, green: 128, red: 255)
        let source = try Bitmap.flat(width, height, alpha: .opaque, pixel)
        #expect(try source.resized(to: PixelSize(width: 1, height: 1)).pixels == [pixel])
    }

    @Test(arguments: 1...48)
    func `resizing keeps a flat colour exactly at every ratio`(divisor: Int) throws {
        let pixel = Pixel(blue: 127, green: 128, red: 255)
        let source = try Bitmap.flat(193, 61, alpha: .opaque, pixel)
        let target = PixelSize(width: 193 / divisor, height: 61 / divisor)
        #expect(try source.resized(to: target).isFlat(pixel))
    }

    @Test(arguments: sizes)
    func `resizing keeps noise opaque`(to: PixelSize) throws {
        let result = try Bitmap.noise(67, 45).resized(to: to)
        #expect(result.alpha == .opaque)
        #expect(result.pixels.allSatisfy { $0.alpha == 255 })
    }

    @Test(arguments: sizes)
    func `resizing never lets a colour exceed its alpha`(to: PixelSize) throws {
        let result = try Bitmap.noise(67, 45, alpha: .premultiplied).resized(to: to)
        #expect(result.isPremultiplied)
    }

    @Test func `resizing agrees with exact arithmetic on a zone plate`() throws {
        let plate = try Bitmap.zonePlate(128, 128)
        let target = PixelSize(width: 33, height: 33)
        let (largest, _) = difference(
            try plate.resized(to: target),
            try ReferenceResampler.resize(plate, to: target)
        )
        #expect(largest <= 1)
    }

    @Test(arguments: [(4, 10), (8, 30)])
    func `resizing fades what a reduction cannot show`(divisor: Int, tolerance: Int) throws {
        // As high as the filter reaches from the row in the middle, which alone is looked at.
        let result = try Bitmap.zonePlate(1024, 64).resized(
            to: PixelSize(width: 1024 / divisor, height: 64 / divisor)
        )
        let row = result.height / 2
        // The rings are as fine as the result's pixels can show at this distance from the middle, and twice
        // as fine as that further out.
        let middle = result.width / 2
        let limit = middle / divisor
        for x in 0..<result.width where abs(x - middle) > limit * 5 / 4 + 2 {
            #expect(abs(Int(result[x, row].green) - 127) <= tolerance)
        }
        let shown = (0..<result.width).filter { abs($0 - middle) < limit * 3 / 4 }
        let levels = shown.map { Int(result[$0, row].green) }
        #expect(try #require(levels.max()) - #require(levels.min()) > 100)
    }

    @Test func `resizing leaves no dark fringe at translucent edges`() throws {
        let source = try Bitmap.make(64, 64, alpha: .premultiplied) { x, _ in
            x < 29 ? Pixel(blue: 255, green: 255, red: 255, alpha: 255) : .clear
        }
        for width in [13, 40, 200] {
            let result = try source.resized(to: PixelSize(width: width, height: 9))
            #expect(result.pixels.contains { (1..<255).contains($0.alpha) })
            #expect(result.pixels.allSatisfy { $0.green == $0.alpha && $0.red == $0.alpha })
        }
    }

    @Test func `resizing does not shift the picture`() throws {
        let source = try Bitmap.make(64, 64) { x, y in Pixel(grey: UInt8(x * 2 + y)) }
        for target in [PixelSize(width: 16, height: 16), PixelSize(width: 150, height: 90)] {
            let result = try source.resized(to: target)
            let turned = try source.oriented(.down).resized(to: target).oriented(.down)
            #expect(difference(result, turned).largest <= 1)
        }
    }

    @Test func `resizing returns the bitmap itself at its own size`() throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.resized(to: source.size) === source)
    }

    @Test(arguments: [
        PixelSize(width: 0, height: 5), PixelSize(width: 5, height: -1),
        PixelSize(width: .max, height: 2), PixelSize(width: 1 << 40, height: 1 << 40),
    ])
    func `resizing rejects impossible sizes`(size: PixelSize) throws {
        let source = try Bitmap.noise(5, 4)
        #expect(throws: CodecError.self) { try source.resized(to: size) }
    }

    @Test func `resizing requires premultiplied alpha`() async {
        await #expect(processExitsWith: .failure) {
            let straight = try Bitmap.make(2, 2, alpha: .straight) { _, _ in .clear }
            _ = try? straight.resized(to: PixelSize(width: 1, height: 1))
        }
    }
}
