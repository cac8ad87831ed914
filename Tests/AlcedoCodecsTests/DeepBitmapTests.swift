import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

extension Bitmap {
    /// The 16-bit samples: red, green, blue, alpha.
    fileprivate var samples: [UInt16] { withDeepSamples { Array($0) } ?? [] }
}

struct `Deep bitmaps` {
    private static let wide = 300

    /// Levels that 8 bits don't have, in all channels.
    private static func level(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        (x * 211 + y * 9973 + channel * 16_411) & 0xFFFF
    }

    private func png(
        channels: Int = 3, isInterlaced: Bool = false, chunks: [UInt8] = [], width: Int = wide
    ) -> [UInt8] {
        DeepPNG(
            width: width, height: 5, channels: channels, isInterlaced: isInterlaced, chunks: chunks,
            sample: Self.level
        ).bytes
    }

    private func decode(
        _ bytes: [UInt8], _ configure: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> Bitmap {
        try Shared.decode(bytes) {
            $0.colorRetention = .full
            configure(&$0)
        }
    }

    private static var profile: [UInt8] {
        get throws { try #require(ColorSpace.displayP3.profile) }
    }

    @Test(arguments: 1...4, [false, true])
    func `a deep bitmap has all samples of a PNG, multiplied by alpha`(_ channels: Int, _ isInterlaced: Bool)
        throws
    {
        let bytes = png(channels: channels, isInterlaced: isInterlaced)
        let bitmap = try decode(bytes)
        #expect(bitmap.isDeep && bitmap.colorSpace == .sRGB)
        #expect(bitmap.alpha == (channels.isMultiple(of: 2) ? .premultiplied : .opaque))
        let samples = bitmap.samples
        var worst = 0
        for y in 0..<5 {
            for x in 0..<Self.wide {
                let colors = channels < 3 ? [0, 0, 0] : [0, 1, 2]
                let alpha = channels.isMultiple(of: 2) ? Self.level(x, y, channels - 1) : 65535
                for (channel, source) in colors.enumerated() {
                    let exact = Double(Self.level(x, y, source)) * Double(alpha) / 65535
                    let found = Double(samples[(y * Self.wide + x) * 4 + channel])
                    if abs(found - exact) > 0.5001 { worst += 1 }
                }
                if Int(samples[(y * Self.wide + x) * 4 + 3]) != alpha { worst += 1 }
            }
        }
        #expect(worst == 0)
        let memory = try Shared.memory(bytes) { $0.colorRetention = .full }
        #expect(memory.result == Self.wide * 5 * 8)
    }

    @Test func `a deep bitmap keeps the colour space of the file`() throws {
        let plain = try decode(png())
        let points = try decode(png(chunks: DeepPNG.codePoints(9, 16)))
        #expect(points.colorSpace == .codePoints(primaries: 9, transfer: 16))
        let profile = ProfileBuilder.matrix(.adobeRGB).bytes
        let profiled = try decode(png(chunks: DeepPNG.profile(profile)))
        #expect(profiled.colorSpace == .icc(profile))
        #expect(points.samples == plain.samples && profiled.samples == plain.samples)
        #expect(!points.hasSamePixels(as: plain) && !profiled.hasSamePixels(as: points))
        // That of sRGB by another name is sRGB.
        #expect(try decode(png(chunks: DeepPNG.codePoints(1, 13))).hasSamePixels(as: plain))
    }

    /// Grey has one channel, and pixels have three.
    @Test func `a deep bitmap is 16 bits of sRGB where a grey profile applies`() throws {
        let profile = ProfileBuilder.grey(.gamma(1)).bytes
        let bitmap = try decode(png(channels: 1, chunks: DeepPNG.profile(profile)))
        #expect(bitmap.isDeep && bitmap.colorSpace == .sRGB)
        let samples = bitmap.samples
        for x in stride(from: 0, to: Self.wide, by: 7) {
            let exact = ExactColor.linear.sRGB(
                [Double](repeating: Double(Self.level(x, 0, 0)) / 65535, count: 3))
            #expect(abs(Double(samples[x * 4]) / 257 - exact[0]) < 0.05)
        }
    }

    @Test(arguments: [nil, (12, 13), (9, 16), (9, 18), (1, 8)] as [(UInt8, UInt8)?])
    func `a deep bitmap converted to bytes shows what decoding to bytes gives`(_ points: (UInt8, UInt8)?)
        throws
    {
        let chunks = points.map { DeepPNG.codePoints($0.0, $0.1) } ?? []
        let bytes = png(chunks: chunks)
        #expect(try decode(bytes).bgra == Shared.decode(bytes).bgra)
        #expect(try decode(bytes).standard().hasSamePixels(as: Shared.decode(bytes)))
        let soft = png(channels: 4, chunks: chunks)
        let difference = try decode(soft).standard().largestDifference(to: Shared.decode(soft))
        // Colours of nearly clear pixels are rounded once more.
        #expect(difference <= 1)
    }

    @Test func `only images with more than 8 bits of sRGB become deep bitmaps`() throws {
        for path in Fixture.list("pngsuite/png", withExtension: "png") {
            let bytes = try Fixture.data(path)
            guard let standard = try? Shared.decode(bytes), let full = try? decode(bytes) else { continue }
            let isDeep = bytes[24] == 16
            #expect(full.isDeep == isDeep, "\(path)")
            #expect(full.alpha == standard.alpha, "\(path)")
            #expect(full.bgra == standard.bgra || full.alpha != .opaque, "\(path)")
        }
    }

    @Test(
        arguments: [3, 4],
        [
            nil, .codePoints(primaries: 12, transfer: 13), .codePoints(primaries: 9, transfer: 16),
            .icc(ProfileBuilder.matrix(.proPhoto).bytes),
        ] as [ColorSpace?])
    func `a deep bitmap written as a PNG comes back the same`(_ channels: Int, _ space: ColorSpace?) throws {
        let chunks: [UInt8] =
            switch space {
            case .codePoints(let primaries, let transfer): DeepPNG.codePoints(primaries, transfer)
            case .icc(let profile): DeepPNG.profile(profile)
            case nil: []
            }
        for keepsStraightAlpha in [false, true] {
            let bitmap = try decode(png(channels: channels, chunks: chunks)) {
                $0.keepsStraightAlpha = keepsStraightAlpha
            }
            let again = try decode(PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())) {
                $0.keepsStraightAlpha = keepsStraightAlpha
            }
            #expect(again.hasSamePixels(as: bitmap) && again.colorSpace == space ?? .sRGB)
        }
    }

    @Test func `a grey deep bitmap becomes a grey PNG`() throws {
        for channels in 1...2 {
            let bitmap = try decode(png(channels: channels))
            let bytes = try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())
            #expect(bytes[24] == 16 && bytes[25] == [0, 0, 4][channels])
            #expect(try decode(bytes).hasSamePixels(as: bitmap))
        }
    }

    @Test(arguments: [EncodedFormat.jpeg, .webp])
    func `a deep bitmap keeps its colour space in 8 bits of a format with profiles`(_ format: EncodedFormat)
        throws
    {
        let bitmap = try decode(png(chunks: DeepPNG.codePoints(12, 13), width: 64))
        let options = EncodeOptions { ($0.isLossless, $0.quality) = (true, 1) }
        let bytes = try Shared.encode(bitmap, as: format, options)
        let read = try decode(bytes)
        #expect(try read.isDeep && read.colorSpace == .icc(Self.profile))
        // 16 bits of 8.
        #expect(read.samples.allSatisfy { $0 & 0xFF == $0 >> 8 })
        if format == .webp {
            let worst = zip(read.samples, bitmap.samples).map { abs(Int($0) - Int($1)) }.max() ?? 0
            #expect(worst <= 257)
        }
        #expect(try Shared.decode(bytes).largestDifference(to: read.standard()) <= 1)
        let memory = try Shared.memory(bytes) { $0.colorRetention = .full }
        #expect(memory.result == 64 * 5 * 8)
        // And 8 bits are written again as such.
        let png = try PNGCodec().encode(read, as: .png, options: EncodeOptions())
        #expect(png[24] == 8)
        #expect(try decode(png).hasSamePixels(as: read))
    }

    @Test func `a deep bitmap of a translucent WebP is multiplied in 16 bits`() throws {
        let bitmap = try decode(png(channels: 4, chunks: DeepPNG.codePoints(12, 13))) {
            $0.keepsStraightAlpha = true
        }
        let bytes = try Shared.encode(bitmap, as: .webp, EncodeOptions { $0.isLossless = true })
        let read = try decode(bytes)
        #expect(read.isDeep && read.alpha == .premultiplied)
        let straight = try decode(bytes) { $0.keepsStraightAlpha = true }
        let worst = zip(read.samples, straight.samples).enumerated().map { index, pair -> Double in
            let alpha = Double(straight.samples[index / 4 * 4 + 3])
            return index % 4 == 3 ? 0 : abs(Double(pair.0) - Double(pair.1) * alpha / 65535)
        }.max()
        #expect(try #require(worst) <= 0.5001)
    }

    @Test(arguments: [EncodedFormat.gif, .bmp, .ico])
    func `a deep bitmap becomes sRGB in a format that has no more`(_ format: EncodedFormat) throws {
        let bitmap = try decode(png(chunks: DeepPNG.codePoints(9, 16), width: 64))
        #expect(try Shared.encode(bitmap, as: format) == Shared.encode(bitmap.standard(), as: format))
        #expect(try Shared.encode(bitmap, as: .jpeg) == Shared.encode(bitmap.standard(), as: .jpeg))
    }

    @Test(arguments: [ColorSpace.sRGB, .displayP3, .codePoints(primaries: 9, transfer: 16)], [3, 4])
    func `a PNG of a deep bitmap has the depth that was asked for`(_ space: ColorSpace, _ channels: Int)
        throws
    {
        let alpha: Bitmap.Alpha = channels == 4 ? .straight : .opaque
        let bitmap = try DeepRamps.bitmap(space, alpha, DeepColors.sRGB.conversion)
        let bytes = try Shared.encode(bitmap, as: .png, EncodeOptions(depth: 8))
        #expect(bytes[24] == 8)
        let read = try decode(bytes) { $0.keepsStraightAlpha = true }
        #expect(read.colorSpace == space && read.alpha == alpha)
        if read.isDeep { #expect(DeepRamps.difference(read, bitmap) <= 257) }
        let deep = try Shared.encode(read, as: .png, EncodeOptions(depth: 16))
        #expect(deep[24] == 16)
        let again = try decode(deep) { $0.keepsStraightAlpha = true }
        #expect(again.isDeep && again.colorSpace == space)
        #expect(try again.standard().hasSamePixels(as: read.standard()))
    }

    @Test func `a deep bitmap is rejected by a format without the depth that is asked for`() throws {
        let bitmap = try DeepRamps.bitmap(.sRGB, .opaque, DeepColors.sRGB.conversion)
        for (format, depth, list) in [
            (EncodedFormat.png, 10, "8 or 16"), (.jpeg, 16, "8"), (.webp, 10, "8"), (.gif, 16, "8"),
        ] {
            let reason = "a \(format) has \(list) bits a channel, not \(depth)"
            #expect(throws: CodecError.encodingFailed(format, reason: reason)) {
                try Shared.encode(bitmap, as: format, EncodeOptions(depth: depth))
            }
        }
        let info = ImageInfo(format: .png, size: bitmap.size)
        let frames = FrameList([AnimationFrame(bitmap: bitmap, duration: 1)], info: info)
        #expect(throws: CodecError.self) {
            try CodecRegistry.shared.encode(frames: frames, as: .webp, options: EncodeOptions(depth: 10))
        }
    }

    @Test func `a deep bitmap is known to be reduced by a format with less room`() throws {
        func reducing(_ space: ColorSpace, isWidened: Bool = false) throws -> Set<EncodedFormat> {
            var bitmap = try DeepRamps.bitmap(space, .opaque, DeepColors.sRGB.conversion)
            if isWidened { bitmap = try decode(Shared.encode(bitmap, as: .png, EncodeOptions(depth: 8))) }
            let formats: [EncodedFormat] = [.png, .jpeg, .webp, .gif, .bmp, .ico, .tiff, .avif, .heic, .jxl]
            return Set(formats.filter { $0.reduces(bitmap, EncodeOptions()) })
        }
        let bytes: Set<EncodedFormat> = [.jpeg, .webp, .gif, .bmp, .ico]
        #expect(try reducing(.sRGB) == bytes && reducing(.displayP3) == bytes)
        #expect(try reducing(.displayP3, isWidened: true) == [.gif, .bmp, .ico])
        #expect(try reducing(.codePoints(primaries: 9, transfer: 16)) == bytes.union([.tiff]))
        let bitmap = try DeepRamps.bitmap(.sRGB, .opaque, DeepColors.sRGB.conversion)
        #expect(!EncodedFormat.jpeg.reduces(bitmap, EncodeOptions(depth: 8)))
    }

    /// Within what a table of 65,536 lights has near black.
    @Test(arguments: [ExactColor.displayP3, .adobeRGB, .linear])
    func `a deep bitmap is converted to Display P3, which has more colours than sRGB`(_ encoding: ExactColor)
        throws
    {
        let space = ColorSpace.icc(ProfileBuilder.matrix(encoding).bytes)
        let bitmap = try DeepRamps.bitmap(space, .opaque, DeepColors.sRGB.conversion)
        let wide = try bitmap.inDisplayP3()
        #expect(wide.colorSpace == .displayP3)
        let difference = try wide.inSRGB().standard().largestDifference(to: bitmap.standard())
        // Adobe RGB has greens that Display P3 has not, which are cut twice.
        #expect(difference <= (encoding.name == ExactColor.adobeRGB.name ? 8 : 1))
        if encoding.name == ExactColor.displayP3.name {
            #expect(DeepRamps.difference(wide, bitmap) <= 40)
        }
        let plain = try decode(png())
        let converted = try plain.inDisplayP3()
        #expect(try converted.standard().largestDifference(to: plain.standard()) <= 1)
    }

    @Test func `the profile of a deep bitmap's code points has a name, and is the same at any time`() throws {
        let profile = try Self.profile
        #expect(ICCProfile.description(of: profile) == "Display P3")
        #expect(Array(profile[24..<36]) == [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    /// Otherwise a profile of a file reached Little CMS in this process.
    @Test func `a deep bitmap has no profile where a worker is required`() throws {
        let profile = ProfileBuilder.matrix(.adobeRGB).bytes
        let bytes = png(chunks: DeepPNG.profile(profile))
        let bitmap = try PNGCodec().decode(bytes) { ($0.colorRetention, $0.sandbox) = (.full, .required) }
        #expect(bitmap.isDeep && bitmap.colorSpace == .sRGB)
        let exact = try Shared.decode(bytes) { $0.limits.isDithered = false }.rgba
        let difference = zip(bitmap.samples, exact).map { abs(Double($0) / 257 - Double($1)) }.max()
        #expect(try #require(difference) < 0.6)
    }
}
