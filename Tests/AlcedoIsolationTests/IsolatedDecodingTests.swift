import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoIsolation

#if HEIF
    import AlcedoHEIF
#endif
#if JXL
    import AlcedoJXL
#endif
#if TIFF
    import AlcedoTIFF
#endif
#if JP2
    import AlcedoJP2
#endif
#if SVG
    import AlcedoSVG
#endif

@Suite(.timeLimit(.minutes(10)))
struct `Decoding in a worker` {
    private static let codecs: [any ImageCodec] = {
        let common: [any ImageCodec] = [JPEGCodec(), PNGCodec(), GIFCodec(), WebPCodec()]
        let group = DecoderGroup.built("alcedo-decode")
        var codecs: [any ImageCodec] = common.map { IsolatedCodec($0, in: group, readsHeadersHere: true) }
        #if HEIF || JXL || TIFF || JP2
            let heavy = DecoderGroup.built("alcedo-decode-heif")
        #endif
        #if HEIF
            codecs.append(IsolatedCodec(HEIFCodec(), in: heavy))
        #endif
        #if JXL
            codecs.append(IsolatedCodec(JXLCodec(), in: heavy))
        #endif
        #if TIFF
            codecs.append(IsolatedCodec(TIFFCodec(), in: heavy))
        #endif
        #if JP2
            codecs.append(IsolatedCodec(JP2Codec(), in: heavy))
        #endif
        #if SVG
            let svg = DecoderGroup.built("alcedo-decode-svg", variables: DecoderGroup.fonts)
            codecs.append(IsolatedCodec(SVGCodec(), in: svg))
        #endif
        return codecs
    }()

    @Test(arguments: ["jpeg", "gif", "pngsuite/png", "made", "heif", "jp2", "jxl", "svg", "tiff", "deep"])
    func `decoding in a worker makes the same as decoding in the process`(_ folder: String) async throws {
        for path in Fixture.list(folder) {
            // Decoding holds a thread of the pool: other tests have their turn in between.
            await Task.yield()
            let bytes = try Fixture.data(path)
            let span = bytes.span.bytes
            guard let codec = Self.codecs.first(where: { $0.format(of: span) != nil }) else { continue }
            let rounding = DecodeLimits { $0.isDithered = false }
            for limits in [DecodeLimits(), rounding, DecodeLimits { $0.pixelsPerFrame = 5000 }] {
                let outcomes = [DecodeSandbox.off, .preferred].map { isolation in
                    var limits = limits
                    (limits.sandbox, limits.seconds) = (isolation, 600)
                    return Outcome(of: span, codec, limits)
                }
                #expect(outcomes[0] == outcomes[1], "\(path)")
            }
        }
    }

    @Test func `decoding in a worker makes the same part of a JPEG as decoding in the process`() throws {
        let bytes = try Fixture.data("jpeg/testorig.jpg")
        let codec = try #require(Self.codecs.first { $0.format(of: bytes.span.bytes) == .jpeg })
        for reduction in [1, 4] {
            let bitmaps = try [DecodeSandbox.off, .preferred].map { isolation in
                let options = DecodeOptions {
                    $0.region = DecodeRegion(
                        PixelFrame(x: 21, y: 5, width: 30, height: 29), reduction: reduction)
                    $0.sandbox = isolation
                }
                return try codec.decode(bytes.span.bytes, options: options)
            }
            #expect(bitmaps[1].size == PixelSize(width: 30, height: 29))
            let isEqual = bitmaps[0].hasSamePixels(as: bitmaps[1])
            #expect(isEqual)
        }
    }
}
