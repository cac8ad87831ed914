import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Depth and light of results` {
    private var origin: ImageOrigin
    private static let pq = ColorSpace.codePoints(primaries: 9, transfer: 16)

    init() throws {
        origin = try ImageOrigin()
        for (name, space) in [("srgb", ColorSpace.sRGB), ("p3", .displayP3), ("pq", Self.pq)] {
            origin.server.serve("/\(name).png", try Self.picture(space).encoded(as: .png))
        }
        origin.server.serve("/bytes.png", try Bitmap.coordinates(64, 48).encoded(as: .png))
    }

    private var codecs: CodecRegistry { .shared }

    /// Slow gradients, with samples that 8 bits don't have.
    private static func picture(_ space: ColorSpace) throws -> Bitmap {
        var pixels = try PixelBuilder(
            size: PixelSize(width: 64, height: 48), alpha: .opaque,
            deep: DeepColors(space, DeepColors.sRGB.conversion))
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices {
                let (x, y) = (UInt16(index % 64), UInt16(index / 64))
                samples[index] = SIMD4(20_000 + x * 331, 9_000 + y * 277, 30_000 - x * 97, .max)
            }
        }
        return pixels.freeze()
    }

    private func result(_ options: String, _ path: String, _ format: String = "png") async throws -> (
        bits: Int?, pixels: Bitmap
    ) {
        let response = await origin.get(options, path, format: format)
        try #require(response.status == 200, "\(response.reason ?? "")")
        let image = try Image(decoding: response.body)
        let pixels = try codecs.decode(
            response.body.bytes, options: DecodeOptions { $0.colorRetention = .full })
        return (image.storedColors?.bits, pixels)
    }

    @Test(arguments: [("png", 16), ("avif", 10), ("heic", 10), ("jxl", 16), ("tiff", 16), ("jpg", 8)])
    func `a deep source gives a deep result with ph:1 where the format has room for it`(
        format: String, bits: Int
    ) async throws {
        guard let written = EncodedFormat(urlName: format), codecs.codec(writing: written) != nil else {
            return
        }
        #expect(try await result("q:90", "/p3.png", format).bits == 8)
        let deep = try await result("q:90/ph:1", "/p3.png", format)
        #expect(deep.bits == bits && deep.pixels.colorSpace == .sRGB)
    }

    @Test func `ph:1 keeps samples, and with scp:0 their space`() async throws {
        let whole = try await result("ph:1", "/srgb.png")
        #expect(DeepRamps.difference(whole.pixels, try Self.picture(.sRGB)) == 0)
        let wide = try await result("ph:1/scp:0", "/p3.png")
        #expect(wide.pixels.colorSpace == .displayP3)
        #expect(DeepRamps.difference(wide.pixels, try Self.picture(.displayP3)) == 0)
        let converted = try await result("ph:1", "/p3.png")
        #expect(DeepRamps.difference(converted.pixels, try Self.picture(.displayP3).inSRGB()) < 3)
    }

    @Test func `ph:1 keeps PQ, and formats without it get what is shown without HDR`() async throws {
        let kept = try await result("ph:1", "/pq.png")
        #expect(kept.pixels.colorSpace == Self.pq)
        #expect(DeepRamps.difference(kept.pixels, try Self.picture(Self.pq)) == 0)
        let standard = try await result("q:100", "/pq.png")
        #expect(standard.bits == 8 && !standard.pixels.isDeep)
        for (format, bits) in [("avif", 10), ("tiff", 16)]
        where codecs.codec(writing: EncodedFormat(rawValue: format)) != nil {
            let other = try await result("q:95/ph:1", "/pq.png", format)
            #expect(other.bits == bits)
            #expect(other.pixels.colorSpace == (format == "avif" ? Self.pq : .sRGB))
            #expect(try other.pixels.standard().psnr(to: standard.pixels) > 34)
        }
    }

    @Test func `ph:1 changes no result of a source of 8 bits`() async throws {
        for format in ["png", "avif", "jxl"]
        where codecs.codec(writing: EncodedFormat(rawValue: format)) != nil {
            let one = await origin.get("w:40/bl:1", "/bytes.png", format: format)
            let other = await origin.get("w:40/bl:1/ph:1", "/bytes.png", format: format)
            #expect(one.status == 200 && one.body == other.body)
        }
    }

    @Test(
        arguments: [
            "bl:0.8", "bl:4", "sh:1", "pix:5", "rs:fill:20:20/g:sm", "rot:90/t:1", "pd:7/bg:804020",
            "pd:7/bg:ffffff/w:30", "wm:0.5:ce", "wm:1:re:3:3",
        ])
    func `each effect works on deep pixels as on those of 8 bits`(options: String) async throws {
        var origin = origin
        let mark = try Bitmap.drawn(12, 9, alpha: .premultiplied) { x, y in
            (x + y) % 2 == 0 ? [0, 0, 0, 0] : [90, 30, 60, 128]
        }
        origin.responses.watermark = .data(Data(try mark.encoded(as: .png)))
        for path in ["/srgb.png", "/p3.png"] {
            let plain = await origin.get(options, path, format: "png")
            let expected = try Image(decoding: plain.body).bitmap()
            for colors in ["ph:1", "ph:1/scp:0"] {
                let response = await origin.get("\(options)/\(colors)", path, format: "png")
                try #require(response.status == 200, "\(response.reason ?? "")")
                let deep = try codecs.decode(
                    response.body.bytes, options: DecodeOptions { $0.colorRetention = .full })
                #expect(deep.isDeep && deep.size == expected.size, "\(path) \(colors)")
                // What was drawn is mixed in another space.
                let psnr = try deep.standard().psnr(to: expected)
                #expect(psnr > (colors == "ph:1" ? 44 : 36), "\(path) \(colors): \(psnr) dB")
            }
        }
    }

    @Test func `white that is drawn on PQ has 203 candela per square metre`() async throws {
        let padded = try await result("ph:1/pd:4/bg:ffffff", "/pq.png")
        let white = try #require(padded.pixels.withDeepSamples { Array($0.prefix(3)) })
        // ITU-R BT.2408, table 1.
        #expect(white.allSatisfy { abs(Double($0) / 65535 - 0.5807) < 0.001 }, "\(white)")
    }

    @Test(arguments: ["avif", "heic", "jxl"])
    func `scp:0 keeps the space in formats with code points, in 8 bits`(format: String) async throws {
        guard codecs.codec(writing: EncodedFormat(rawValue: format)) != nil else { return }
        let standard = try await result("q:95/w:40", "/p3.png", format)
        #expect(standard.bits == 8 && !standard.pixels.isDeep)
        for options in ["q:95/w:40/scp:0", "q:95/w:40/scp:0/bl:1"] {
            let kept = try await result(options, "/p3.png", format)
            #expect(kept.bits == 8)
            #expect(kept.pixels.colorSpace == .displayP3 || format == "jxl")
            let shown = try kept.pixels.standard()
            #expect(try shown.psnr(to: standard.pixels.standard()) > 34)
        }
    }

    @Test func `a gain map is kept in a JPEG of the same part, and applied for PQ`() async throws {
        func half(_ width: Int, _ height: Int) throws -> [UInt8] {
            try Bitmap.drawn(width, height) { x, _ in [Int](repeating: x * 2 < width ? 30 : 220, count: 3) }
                .encoded(as: .jpeg, quality: 1)
        }
        let file = GainMapParameters().file(of: try half(64, 48), map: try half(32, 24))
        origin.server.serve("/ultra.jpg", file)
        func map(_ options: String) async throws -> (size: PixelSize, left: Int, right: Int)? {
            let body = await origin.get(options, "/ultra.jpg", format: "jpg").body
            guard let map = JPEGGainMap(body.bytes, limits: DecodeLimits()) else {
                #expect(body.range(of: Data("hdrgm".utf8)) == nil)
                return nil
            }
            let pixels = try codecs.decode(GainMapFile(map, in: body.bytes).jpeg.span.bytes)
            return (map.size, pixels.pixel(0, 1)[0], pixels.pixel(map.size.width - 1, 1)[0])
        }
        let small = try #require(try await map("w:32/ph:1"))
        #expect(small.size == PixelSize(width: 16, height: 12) && small.left < 40 && small.right > 210)
        let right = try #require(try await map("c:32:48:ea/ph:1"))
        #expect(right.size == PixelSize(width: 16, height: 24) && right.left > 210)
        for options in ["w:32", "w:32/sm:0", "w:32/ph:1/pd:3"] { #expect(try await map(options) == nil) }
        let bright = try await result("ph:1", "/ultra.jpg")
        #expect(bright.bits == 16 && bright.pixels.colorSpace == Self.pq)
        #expect(try await result("q:80", "/ultra.jpg").bits == 8)
    }

    @Test func `the setting PRESERVE_HDR is the default of ph`() throws {
        for prefix in ["ALCEDO_", "IMGPROXY_"] {
            let texts = try SettingTexts(environment: [prefix + "PRESERVE_HDR": "true"])
            #expect(texts.warnings == [])
            #expect(try texts.settings().urls.defaults.preserveHDR)
        }
        #expect(try !SettingTexts().settings().urls.defaults.preserveHDR)
    }
}
