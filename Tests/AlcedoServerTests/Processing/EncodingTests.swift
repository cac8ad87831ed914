import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `The encoding of results` {
    private let origin: ImageOrigin
    private let photo: Bitmap

    init() throws {
        origin = try ImageOrigin()
        photo = try Image(decoding: Data(Fixture.data("jpeg/testorig.jpg"))).bitmap()
        origin.server.serve("/s.png", try photo.encoded(as: .png))
        origin.server.serve("/fire.gif", try Fixture.data("gif/fire.gif"))
    }

    private func body(_ options: String, _ format: String) async throws -> [UInt8] {
        let response = await origin.get(options, "/s.png", format: format)
        try #require(response.status == 200, "\(response.status): \(response.reason ?? "")")
        return [UInt8](response.body)
    }

    private func ssim(_ file: [UInt8]) throws -> Double {
        try Similarity(to: photo).ssim(of: Image(decoding: Data(file)).bitmap())
    }

    /// Whether a JPEG has this marker segment.
    private func has(_ marker: UInt8, _ file: [UInt8]) -> Bool {
        file.indices.dropLast().contains { file[$0] == 0xFF && file[$0 + 1] == marker }
    }

    @Test func `JPEGs are progressive, and keep the resolution of colours, on request`() async throws {
        // A small file is larger with several scans.
        let plain = try await body("w:60/q:50", "jpg")
        #expect(has(0xC0, plain))
        #expect(try await has(0xC2, body("w:60/q:50/jpgo:1", "jpg")))
        let full = try await body("w:60/q:50/jpgo:0:1", "jpg")
        #expect(full.count > plain.count)
    }

    @Test func `PNGs are interlaced and quantised on request`() async throws {
        let plain = try await body("q:1", "png")
        let interlaced = try await body("pngo:1", "png")
        #expect(plain[28] == 0 && interlaced[28] == 1)
        #expect(try ssim(interlaced) > 0.99999)
        var last = plain.count
        for colors in [256, 64, 8] {
            let quantized = try await body("pngo:0:1:\(colors)", "png")
            #expect(quantized.count < last && quantized[25] == 3)
            last = quantized.count
            let reached = try ssim(quantized)
            if colors == 256 { #expect(reached > 0.95, "\(reached)") }
        }
    }

    @Test func `WebPs are lossless, nearly lossless or lossy`() async throws {
        let lossless = try await body("webpo:lossless", "webp")
        #expect(try ssim(lossless) > 0.99999)
        let near = try await body("webpo:near_lossless/q:20", "webp")
        let lossy = try await body("webpo:lossy", "webp")
        #expect(lossless.count > near.count && near.count > lossy.count)
        #expect(try ssim(near) < 1 && ssim(near) > 0.97)
        let limit = near.count
        #expect(try await body("webpo:near_lossless/q:90/mb:\(limit)", "webp").count <= limit)
        for options in ["webpo::1", "webpo:::text"] {
            let other = try await body(options, "webp")
            #expect(other != lossy && abs(other.count - lossy.count) < lossy.count / 4)
        }
    }

    @Test(.enabled(if: codecs.codec(writing: .avif) != nil))
    func `AVIFs have colours of the resolution that is asked for`() async throws {
        let plain = try await body("q:50", "avif")
        #expect(try await body("q:50/avifo:auto", "avif") == plain)
        #expect(try await body("q:50/avifo:on", "avif") == plain)
        #expect(try await body("q:50/avifo:off", "avif") != plain)
        #expect(try await body("q:95/avifo:on", "avif") != body("q:95", "avif"))
    }

    @Test(arguments: ["jpg", "webp"])
    func `autoquality finds the lowest quality with a similarity`(format: String) async throws {
        for ssim in [0.93, 0.97] {
            let found = try await body("aq:ssim:\(ssim):1:100:0", format)
            let reached = try self.ssim(found)
            #expect((ssim..<ssim + 0.01).contains(reached), "\(reached)")
            #expect(try await body("aq:dssim:\((1 - ssim) / 2):1:100:0", format) == found)
        }
        // Its limits, and no other quality.
        #expect(try await body("aq:ssim:1:20:40/q:90", format) == body("q:40", format))
        #expect(try await body("aq:ssim:0:20:40/q:90", format) == body("q:20", format))
        #expect(try await body("aq:none/q:90", format) == body("q:90", format))
    }

    @Test func `autoquality finds the highest quality with few bytes`() async throws {
        let limit = try await body("q:60", "jpg").count
        #expect(try await body("aq:size:\(limit):10:90", "jpg").count == limit)
        #expect(try await body("aq:size:1:30:90", "jpg") == body("q:30", "jpg"))
        // What is too large for max_bytes gets less than the lowest quality.
        #expect(try await body("aq:size:1:60:90/mb:\(limit - 1)", "jpg").count < limit)
    }

    @Test func `autoquality leaves large results, PNG, GIF and animations alone`() async throws {
        var origin = origin
        origin.rules.defaults.autoQuality.maxResolution = 0.01
        let large = await origin.get("aq:ssim:0:20:40/q:90", "/s.png", format: "jpg").body
        #expect(try await [UInt8](large) == body("q:90", "jpg"))
        let small = await origin.get("aq:ssim:0:20:40/q:90/w:60", "/s.png", format: "jpg").body
        #expect(try await [UInt8](small) == body("q:20/w:60", "jpg"))
        for format in ["png", "gif"] { #expect(try await body("aq:size:10", format) == body("q:1", format)) }
        let animation = await origin.get("aq:ssim:0.9/maf:9", "/fire.gif", format: "webp")
        #expect(animation.status == 200, "\(animation.reason ?? "")")
        let plain = await origin.get("maf:9", "/fire.gif", format: "webp")
        #expect(animation.body == plain.body)
    }

    @Test func `results of other encodings have other cache keys`() {
        var keys = Set([ResultKey.text(of: ProcessingOptions())])
        let changes: [(inout ProcessingOptions) -> Void] = [
            { $0.encoding.jpeg.isProgressive = true }, { $0.encoding.jpeg.keepsChroma = true },
            { $0.encoding.png.isInterlaced = true }, { $0.encoding.png.isQuantized = true },
            { ($0.encoding.png.isQuantized, $0.encoding.png.mostColors) = (true, 16) },
            { $0.encoding.webP.compression = .lossless }, { $0.encoding.webP.usesSharpYUV = true },
            { $0.encoding.webP.preset = .photo }, { $0.encoding.avifChroma = .full },
            { $0.autoQuality.method = .dssim }, { $0.autoQuality.method = .ssim },
            { ($0.autoQuality.method, $0.autoQuality.target) = (.dssim, 0.1) },
            { ($0.autoQuality.method, $0.autoQuality.least) = (.dssim, 1) },
            { ($0.autoQuality.method, $0.autoQuality.most) = (.dssim, 99) },
            { ($0.autoQuality.method, $0.autoQuality.leastOfFormat) = (.dssim, [:]) },
            { ($0.autoQuality.method, $0.autoQuality.mostOfFormat) = (.dssim, [:]) },
            { ($0.autoQuality.method, $0.autoQuality.allowedError) = (.dssim, 0.5) },
            { ($0.autoQuality.method, $0.autoQuality.maxResolution) = (.dssim, 0.5) },
        ]
        for change in changes {
            var options = ProcessingOptions()
            change(&options)
            keys.insert(ResultKey.text(of: options))
        }
        #expect(keys.count == changes.count + 1)
    }
}
