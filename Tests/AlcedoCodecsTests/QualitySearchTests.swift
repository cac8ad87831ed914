import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `A target` {
    private let picture: Bitmap
    private let registry = CodecRegistry()

    init() throws { picture = try `The similarity of pictures`.picture(80, 60, seed: 7) }

    private func file(_ format: EncodedFormat, quality: Int) throws -> [UInt8] {
        try registry.encode(picture, as: format, options: EncodeOptions(quality: Double(quality) / 100))
    }

    private func ssim(_ file: [UInt8]) throws -> Double {
        try Similarity(to: picture).ssim(of: registry.decode(file.span.bytes))
    }

    @Test(arguments: [EncodedFormat.jpeg, .webp], [10, 50, 93])
    func `a target of a size is reached with the highest quality`(format: EncodedFormat, quality: Int) throws
    {
        let most = try file(format, quality: quality).count
        let found = try registry.encode(
            picture, as: format, options: EncodeOptions(target: .size(bytes: most)))
        #expect(found.count <= most)
        let chosen = try #require(try (1..<100).last { try file(format, quality: $0) == found })
        #expect(try chosen >= quality - 1 && file(format, quality: chosen + 1).count > most)
    }

    @Test(arguments: [EncodedFormat.jpeg, .webp], [0.9, 0.95, 0.99])
    func `a target of similarity is reached with the lowest quality`(format: EncodedFormat, ssim: Double)
        throws
    {
        let found = try registry.encode(
            picture, as: format, options: EncodeOptions(target: .quality(ssim: ssim)))
        #expect(try self.ssim(found) >= ssim)
        let quality = try #require(try (1...100).first { try file(format, quality: $0) == found })
        #expect(try self.ssim(file(format, quality: quality - 1)) < ssim)
    }

    @Test func `a target that no quality reaches fails as a size, and has the best file as a similarity`()
        throws
    {
        let options = EncodeOptions(target: .size(bytes: 100))
        let failure = #expect(throws: CodecError.self) {
            try registry.encode(picture, as: .jpeg, options: options)
        }
        let text = try #require(failure?.description)
        #expect(text.contains("the target is 100 bytes") && text.contains("lowest quality"), "\(text)")
        let best = EncodeOptions(target: .quality(ssim: 1, qualities: 0.2...0.7))
        #expect(try registry.encode(picture, as: .jpeg, options: best) == file(.jpeg, quality: 70))
    }

    @Test func `a target keeps to the range of its qualities`() throws {
        let large = EncodeOptions(target: .size(bytes: .max, qualities: 0.3...0.6))
        #expect(try registry.encode(picture, as: .webp, options: large) == file(.webp, quality: 60))
        let coarse = EncodeOptions(target: .quality(ssim: 0, qualities: 0.3...0.6))
        #expect(try registry.encode(picture, as: .webp, options: coarse) == file(.webp, quality: 30))
    }

    @Test func `the search for a size writes eight files at most`() throws {
        for wanted in 1...100 {
            var tried: [Int] = []
            let search = QualitySearch(0.01...1, .jpeg, EncodeOptions())
            let found = try search.largest(within: wanted) { quality in
                tried.append(Int((quality * 100).rounded()))
                return [UInt8](repeating: 0, count: tried.last ?? 0)
            }
            #expect(found.file.count == wanted && found.isReached && tried.count <= 8, "\(tried)")
        }
    }

    @Test(arguments: [0, 0.9, 0.99, 1])
    func `the search for a similarity writes eight files at most`(ssim: Double) throws {
        var count = 0
        let search = QualitySearch(0.01...1, .jpeg, EncodeOptions())
        _ = try search.smallest(like: picture, ssim: ssim, readingWith: registry) {
            quality throws(CodecError) in
            count += 1
            return try registry.encode(picture, as: .jpeg, options: EncodeOptions(quality: quality))
        }
        #expect(count <= 8, "\(count)")
    }

    @Test func `a target of a format without a quality is a limit`() throws {
        let png = try registry.encode(picture, as: .png)
        let exact = EncodeOptions(target: .size(bytes: png.count))
        #expect(try registry.encode(picture, as: .png, options: exact) == png)
        let smaller = EncodeOptions(target: .size(bytes: png.count - 1))
        #expect(throws: CodecError.self) { try registry.encode(picture, as: .png, options: smaller) }
        let lossless = EncodeOptions(isLossless: true, target: .quality(ssim: 0.5))
        let webp = try registry.encode(picture, as: .webp, options: lossless)
        #expect(try registry.decode(webp.span.bytes).bgra == picture.bgra)
    }

    @Test func `a target of a size is reached by a nearly lossless WebP`() throws {
        var options = EncodeOptions(quality: 1, isLossless: true)
        options.tuning.isNearLossless = true
        let exact = try registry.encode(picture, as: .webp, options: options).count
        options.quality = 0.2
        let coarse = try registry.encode(picture, as: .webp, options: options).count
        options.target = .size(bytes: coarse)
        #expect(try coarse < exact && registry.encode(picture, as: .webp, options: options).count <= coarse)
    }

    @Test func `a target of an animation is a size, not a similarity`() throws {
        let frames = try (UInt64(0)..<3).map { seed in
            let bitmap = try `The similarity of pictures`.picture(40, 30, seed: seed)
            return AnimationFrame(bitmap: bitmap, duration: 0.1)
        }
        let info = ImageInfo(format: .webp, size: PixelSize(width: 40, height: 30), frameCount: 3)
        func encoded(_ options: EncodeOptions) throws -> [UInt8] {
            try registry.encode(frames: FrameList(frames, info: info), as: .webp, options: options)
        }
        let most = try encoded(EncodeOptions(quality: 0.4)).count
        let found = try encoded(EncodeOptions(target: .size(bytes: most)))
        #expect(found.count <= most)
        #expect(try registry.frameDurations(of: found.span.bytes).count == 3)
        #expect(throws: CodecError.self) { try encoded(EncodeOptions(target: .quality(ssim: 0.9))) }
    }
}
