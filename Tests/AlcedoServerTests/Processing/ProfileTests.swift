import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Profiles of results` {
    private let origin: ImageOrigin
    private let profile: [UInt8]

    /// In Display P3.
    private static let color = [200, 100, 50]

    init() throws {
        origin = try ImageOrigin()
        profile = try #require(ColorSpace.displayP3.profile)
        let picture = try Bitmap.drawn(40, 30) { _, _ in Self.color }
        for format in [EncodedFormat.jpeg, .png, .webp, .tiff] where codecs.codec(writing: format) != nil {
            let options = EncodeOptions {
                ($0.quality, $0.isLossless, $0.profile) = (1, true, profile)
            }
            origin.server.serve(
                "/s.\(format.rawValue)", try codecs.encode(picture, as: format, options: options))
        }
    }

    private var codecs: CodecRegistry { .shared }

    /// The profile of a result, its first pixel as stored, and as shown.
    private func result(
        _ options: String, _ path: String, _ format: String
    ) async throws -> (profile: [UInt8]?, stored: [Int], shown: [Int]) {
        let response = await origin.get(options, path, format: format)
        try #require(response.status == 200, "\(response.reason ?? "")")
        let shown = try codecs.decode(response.body.bytes, options: DecodeOptions())
        let deep = try codecs.decode(
            response.body.bytes, options: DecodeOptions { $0.colorRetention = .full })
        let stored = deep.withDeepSamples { $0.prefix(3).map { Int($0) / 257 } }
        return (
            codecs.profile(of: response.body.bytes), stored ?? Array(shown.pixel(0, 0).prefix(3)),
            Array(shown.pixel(0, 0).prefix(3))
        )
    }

    private func isNear(_ one: [Int], _ other: [Int], within bound: Int = 4) -> Bool {
        zip(one, other).allSatisfy { abs($0 - $1) < bound }
    }

    @Test(arguments: ["/s.jpeg", "/s.png", "/s.webp", "/s.tiff"], ["jpg", "png", "webp", "tiff"])
    func `profiles of results are those of their sources with scp:0, and their pixels are in that space`(
        path: String, format: String
    ) async throws {
        for name in [String(path.dropFirst(3)), format == "jpg" ? "jpeg" : format]
        where codecs.codec(writing: EncodedFormat(rawValue: name)) == nil { return }
        let standard = try await result("w:20/q:95", path, format)
        #expect(standard.profile == nil && !isNear(standard.stored, Self.color))
        let kept = try await result("w:20/q:95/scp:0", path, format)
        #expect(kept.profile == profile)
        #expect(isNear(kept.stored, Self.color), "\(kept.stored)")
        #expect(isNear(kept.shown, standard.shown), "\(kept.shown) instead of \(standard.shown)")
    }

    @Test func `a result has no profile where its format has none, and its colours stay right`() async throws
    {
        let standard = try await result("w:40", "/s.png", "gif")
        let kept = try await result("w:40/scp:0", "/s.png", "gif")
        #expect(kept.shown == standard.shown && kept.stored == standard.stored)
    }

    @Test(
        arguments: ["png", "webp", "tiff"],
        ["w:20", "w:20/h:20/g:sm/rs:fill", "w:20/bg:102030", "rot:90/t:1"])
    func `profiles of results are kept of translucent sources, too`(name: String, options: String)
        async throws
    {
        let format = EncodedFormat(rawValue: name)
        guard codecs.codec(writing: format) != nil else { return }
        // Half of the colour.
        let clear = try Bitmap.drawn(40, 30, alpha: .premultiplied) { _, _ in
            Self.color.map { $0 / 2 } + [128]
        }
        let encoding = EncodeOptions { ($0.quality, $0.isLossless, $0.profile) = (1, true, profile) }
        origin.server.serve("/clear", try codecs.encode(clear, as: format, options: encoding))
        for result in [name, "jpg"] {
            let kept = try await self.result("\(options)/q:95/scp:0", "/clear", result)
            let standard = try await self.result("\(options)/q:95", "/clear", result)
            #expect(kept.profile == profile && standard.profile == nil)
            // On a background, colours are mixed by their values in the space that they have.
            let isMixed = result == "jpg" || options.contains("bg:")
            #expect(
                isNear(kept.shown, standard.shown, within: isMixed ? 8 : 4),
                "\(kept.shown) instead of \(standard.shown)")
        }
    }

    @Test func `profiles of results apply to what is drawn, too, and to grey`() async throws {
        let drawn = try await result("w:20/scp:0/pd:5/bg:102030/bl:1", "/s.png", "png")
        #expect(drawn.profile == profile && drawn.stored == [0x10, 0x20, 0x30])
        let grey = try Bitmap.drawn(40, 30) { x, _ in [Int](repeating: x * 6, count: 3) }
        let options = EncodeOptions { $0.profile = profile }
        origin.server.serve("/grey.png", try codecs.encode(grey, as: .png, options: options))
        let kept = await origin.get("scp:0", "/grey.png", format: "png")
        #expect(codecs.profile(of: kept.body.bytes) == profile)
        // Neither grey nor grey with alpha.
        #expect([2, 3].contains(kept.body[25]))
    }
}
