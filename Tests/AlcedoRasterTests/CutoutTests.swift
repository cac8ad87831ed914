import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import Testing

/// Pictures of one colour that are transparent in parts: resized, they have no other colour.
struct `Cut-outs` {
    private static let colour = Pixel(blue: 229, green: 236, red: 240)

    /// Enlarged, reduced by the filter alone, by halves first, and by blocks first; also one side only.
    static let targets = [
        PixelSize(width: 300, height: 260), .init(width: 97, height: 83), .init(width: 131, height: 30),
        .init(width: 61, height: 55), .init(width: 40, height: 33), .init(width: 24, height: 20),
        .init(width: 16, height: 14), .init(width: 12, height: 11), .init(width: 9, height: 8),
        .init(width: 5, height: 96), .init(width: 96, height: 3), .init(width: 1, height: 1),
    ]

    @Test(arguments: targets)
    func `cut-outs keep their colour at every ratio`(target: PixelSize) throws {
        let isHalved = isHalved(97, 83, to: target)
        try check(isHalved: isHalved) { try $0.resized(to: target) }
        try check(isHalved: isHalved) { try streamed($0, to: target) }
    }

    @Test(arguments: 1...40)
    func `cut-outs keep their colour in every reduction`(divisor: Int) throws {
        let target = PixelSize(width: max(1, 97 * 2 / (divisor + 1)), height: max(1, 83 * 2 / (divisor + 1)))
        try check(isHalved: isHalved(97, 83, to: target)) { try $0.resized(to: target) }
        try check { try $0.resized(to: PixelSize(width: target.width, height: 50)) }
    }

    @Test(arguments: targets)
    func `cut-outs keep their colour at the edges of a part`(target: PixelSize) throws {
        let part = PixelRect(x: 20.3, y: 11.7, width: 41.2, height: 38.9)
        try check(isHalved: isHalved(42, 39, to: target)) { try $0.resized(to: target, showing: part) }
    }

    /// Where nothing is transparent, it makes no difference that it might be.
    @Test(arguments: targets)
    func `opaque cut-outs are resized as opaque bitmaps are`(target: PixelSize) throws {
        let opaque = try Bitmap.noise(97, 83)
        let same = try Bitmap.make(97, 83, alpha: .premultiplied) { x, y in opaque[x, y] }
        #expect(try same.resized(to: target).pixels == opaque.resized(to: target).pixels)
    }

    // MARK: - Helpers

    private func isHalved(_ width: Int, _ height: Int, to target: PixelSize) -> Bool {
        (4..<9).contains(width / target.width) && (4..<9).contains(height / target.height)
    }

    /// Expects every channel to be within 1 of what the colour is at the pixel's alpha.
    ///
    /// It is within 2 if the bitmap was halved first, or is itself rounded everywhere: the filter enlarges differences.
    private func check(isHalved: Bool = false, _ resize: (Bitmap) throws -> Bitmap) throws {
        var differences: [String: Int] = [:]
        for (name, cutout) in try Self.cutouts() {
            let largest = try resize(cutout).withUnsafeBytes { bytes in
                bytes.indices.map { index in
                    abs(Int(bytes[index]) - Self.products[Int(bytes[index | 3]) * 4 + index % 4])
                }.max()
            }
            let limit = isHalved || name == "any alpha at random" ? 2 : 1
            if let largest, largest > limit { differences[name] = largest }
        }
        #expect(differences == [:])
    }

    /// The colour at each alpha.
    private static let products = (0...255).flatMap { alpha in
        colour.channels.map { (Int($0) * alpha + 127) / 255 }
    }

    private func streamed(_ bitmap: Bitmap, to target: PixelSize) throws -> Bitmap {
        var row = 0
        return try Bitmap.reduced(from: bitmap.size, to: target, of: .png) { () throws(CodecError) in
            guard row < bitmap.height else { return nil }
            defer { row += 1 }
            return try bitmap.cropped(x: 0, y: row, width: bitmap.width, height: 1)
        }
    }

    private static func cutouts() throws -> [(name: String, Bitmap)] {
        var random = SeededGenerator(seed: 10)
        func cutout(_ alpha: (_ x: Int, _ y: Int) -> UInt8) throws -> Bitmap {
            try Bitmap.make(97, 83, alpha: .premultiplied) { x, y in
                let alpha = alpha(x, y)
                let channels = products[Int(alpha) * 4..<Int(alpha) * 4 + 3].map { UInt8($0) }
                return Pixel(blue: channels[0], green: channels[1], red: channels[2], alpha: alpha)
            }
        }
        return [
            ("a disc", try cutout { x, y in (x - 40) * (x - 40) + (y - 45) * (y - 45) < 900 ? 255 : 0 }),
            ("a hole", try cutout { x, y in (x - 40) * (x - 40) + (y - 45) * (y - 45) < 500 ? 0 : 255 }),
            ("stripes", try cutout { x, y in (x + y / 2) % 14 < 7 ? 255 : 0 }),
            ("squares", try cutout { x, y in x / 8 % 2 == y / 8 % 2 ? 255 : 0 }),
            ("a soft edge", try cutout { x, _ in UInt8(min(max(0, x - 30) * 32, 255)) }),
            ("holes at random", try cutout { _, _ in random.next() % 5 < 1 ? 0 : 255 }),
            ("opaque or not at random", try cutout { _, _ in random.next() % 2 == 0 ? 0 : 255 }),
            ("any alpha at random", try cutout { _, _ in UInt8(random.next() % 256) }),
        ]
    }
}
