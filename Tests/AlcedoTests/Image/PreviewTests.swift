import AlcedoCodecs
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Views whose images come in halves.
@Suite(.timeLimit(.minutes(10)))
@MainActor
struct `Previews while an image loads` {
    let loading: Loading
    let previews = Recorder<Image>()

    init() throws { loading = try Loading() }

    /// Large enough for previews, in several formats.
    nonisolated private static let formats: [(EncodedFormat, EncodeOptions)] = {
        var formats: [(EncodedFormat, EncodeOptions)] = [
            (.jpeg, EncodeOptions(quality: 0.95)), (.jpeg, EncodeOptions(isProgressive: true)),
            (.png, EncodeOptions()), (.webp, EncodeOptions(quality: 0.95)),
            (.webp, EncodeOptions(isLossless: true)),
        ]
        #if JXL
            formats.append((.jxl, EncodeOptions(quality: 0.95)))
        #endif
        return formats
    }()

    /// Coloured noise, which no codec makes small.
    private func picture(_ side: Int = 400) throws -> Bitmap {
        var state: UInt32 = 3
        var pixels = try PixelBuilder(size: PixelSize(width: side, height: side), alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                state = state &* 1_664_525 &+ 1_013_904_223
                let pixel = state >> 8 | 0xFF00_0000
                bytes.storeBytes(of: pixel, toByteOffset: offset, as: UInt32.self)
            }
        }
        return pixels.freeze()
    }

    private func options(_ isolation: DecodeSandbox, _ progressive: ImageProgressive)
        -> KingfisherOptionsInfo
    {
        [
            .downloader(loading.downloader), .targetCache(loading.cache), .progressiveJPEG(progressive),
            .decodeSandbox(isolation),
        ]
    }

    @Test(arguments: formats.indices, [DecodeSandbox.off, .preferred])
    func `previews are shown in every format that has them, isolated or not`(
        _ index: Int, _ isolation: DecodeSandbox
    ) async throws {
        let (format, encoding) = Self.formats[index]
        let whole = try picture()
        let body = try CodecRegistry.shared.encode(whole, as: format, options: encoding)
        let gate = Gate()
        loading.server.serve("/p", Reply(body: body).hold(.byte(body.count * 3 / 4), until: gate))
        let view = ImageView(surface: HeadlessSurface())
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        progressive.onImageUpdated.delegate(on: view) { [previews] _, image in
            previews.append(image)
            return .default
        }
        let ended = Recorder<RetrieveImageResult?>()
        view.kf.setImage(
            with: loading.server.url("/p"), options: options(isolation, progressive)
        ) { ended.append(try? $0.get()) }
        let preview = try #require(await previews.waitFor(count: 1).last)
        #expect(ended.count == 0 && preview.pixelSize == whole.size)
        let key = loading.server.url("/p").absoluteString
        #expect(loading.cache.retrieveImageInMemoryCache(forKey: key) == nil)
        gate.open()
        let result = try #require(await ended.waitFor(count: 1).first ?? nil)
        let expected = try CodecRegistry.shared.decode(body.span.bytes)
        #expect(try result.image.bitmap().hasSamePixels(as: expected))
        #expect(view.image === result.image)
        #expect(loading.cache.retrieveImageInMemoryCache(forKey: key) === result.image)
    }
}
