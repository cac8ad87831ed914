import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import CIsolation
import Testing

@testable import AlcedoIsolation

#if HEIF
    import AlcedoHEIF
#endif
#if JP2
    import AlcedoJP2
#endif
#if JXL
    import AlcedoJXL
#endif
#if TIFF
    import AlcedoTIFF
#endif

@Suite(.timeLimit(.minutes(10)))
struct `Deep bitmaps of a worker` {
    private static let profile = ProfileBuilder.matrix(.adobeRGB).bytes

    private static let spaces: [ColorSpace] = [.sRGB, .codePoints(primaries: 9, transfer: 16), .icc(profile)]

    private func picture(_ width: Int, _ height: Int, _ space: ColorSpace) throws -> Bitmap {
        let colors = DeepColors(space, DeepColors.sRGB.conversion)
        var pixels = try PixelBuilder(
            size: PixelSize(width: width, height: height), alpha: .opaque, deep: colors)
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices {
                let level = UInt16(truncatingIfNeeded: index &* 7919)
                samples[index] = SIMD4(level, ~level, level &* 31, .max)
            }
        }
        return pixels.freeze()
    }

    /// In a message, in memory that the worker keeps, and in memory of their own.
    @Test(arguments: [(30, 20), (300, 200), (4000, 2200)], spaces)
    func `a worker's deep bitmaps are those that were encoded, in every size and space`(
        _ size: (Int, Int), _ space: ColorSpace
    ) throws {
        let bitmap = try picture(size.0, size.1, space)
        let png = try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())
        let codec = IsolatedCodec(
            PNGCodec(), in: .built("alcedo-decode"), readsHeadersHere: true,
            conversion: DeepColors.sRGB.conversion)
        let options = DecodeOptions {
            ($0.colorRetention, $0.sandbox, $0.limits.seconds) = (.full, .preferred, 600)
        }
        let read = try codec.decode(png.span.bytes, options: options)
        #expect(read.hasSamePixels(as: bitmap) && read.colorSpace == space)
        let frame = try codec.frames(of: png.span.bytes, options: options).next()
        #expect(frame?.bitmap.hasSamePixels(as: bitmap) == true)
    }

    /// A sanitizer's worker can't be restricted as far as that needs.
    @Test(.enabled(if: alcedo_is_sanitized() == 0))
    func `a worker's deep bitmaps have no profile if isolation is required, and need a conversion`() throws {
        let png = try PNGCodec().encode(
            picture(300, 200, .icc(Self.profile)), as: .png, options: EncodeOptions())
        let group = DecoderGroup.built("alcedo-decode")
        var options = DecodeOptions {
            ($0.colorRetention, $0.sandbox, $0.limits.seconds) = (.full, .required, 600)
        }
        let codec = IsolatedCodec(PNGCodec(), in: group, conversion: DeepColors.sRGB.conversion)
        let read = try codec.decode(png.span.bytes, options: options)
        #expect(try read.hasSamePixels(as: PNGCodec().decode(png.span.bytes, options: options)))
        #expect(read.isDeep && read.colorSpace == .sRGB)
        options.sandbox = .preferred
        let plain = try IsolatedCodec(PNGCodec(), in: group).decode(png.span.bytes, options: options)
        let standard = try PNGCodec().decode(png.span.bytes, options: DecodeOptions())
        #expect(plain.hasSamePixels(as: standard))
    }

    #if TIFF
        @Test func `deep bitmaps come from the worker of heavy formats too`() throws {
            let bitmap = try picture(300, 200, .icc(Self.profile))
            let tiff = try TIFFCodec().encode(bitmap, as: .tiff, options: EncodeOptions())
            let codec = IsolatedCodec(
                TIFFCodec(), in: .built("alcedo-decode-heif"), conversion: DeepColors.sRGB.conversion)
            let read = try codec.decode(
                tiff.span.bytes,
                options: DecodeOptions {
                    ($0.colorRetention, $0.sandbox, $0.limits.seconds) = (.full, .preferred, 600)
                })
            #expect(read.hasSamePixels(as: bitmap))
        }
    #endif

    /// Whole pictures, and the first frames.
    @Test func `a worker's deep bitmaps are those that this process decodes, in every format`() throws {
        var files: [(String, any ImageCodec)] = []
        #if HEIF
            for name in [
                "deep/pq10.avif", "deep/p3-10.heic", "heif/sequence-p3.avif", "heif/wide-gamut.heic",
            ] {
                files.append((name, HEIFCodec()))
            }
        #endif
        #if JXL
            for name in [
                "deep/pq16.jxl", "deep/linear-float.jxl", "deep/cmyk.jxl", "jxl/wide-gamut-lossy.jxl",
            ] {
                files.append((name, JXLCodec()))
            }
        #endif
        #if JP2
            for name in ["deep/12.j2k", "jp2/wide-gamut.jp2"] { files.append((name, JP2Codec())) }
        #endif
        let options = DecodeOptions {
            ($0.colorRetention, $0.sandbox, $0.limits.seconds) = (.full, .preferred, 600)
        }
        for (name, codec) in files {
            let bytes = try Fixture.data(name)
            let isolated = IsolatedCodec(
                codec, in: .built("alcedo-decode-heif"), conversion: DeepColors.sRGB.conversion)
            let here = try codec.decode(bytes.span.bytes, options: options)
            #expect(here.isDeep, "\(name)")
            let read = try isolated.decode(bytes.span.bytes, options: options)
            #expect(read.hasSamePixels(as: here), "\(name)")
            let frame = try isolated.frames(of: bytes.span.bytes, options: options).next()
            #expect(frame?.bitmap.hasSamePixels(as: here) == true, "\(name)")
        }
    }

    @Test func `a worker's deep bitmaps are rejected if they lie about their profile`() throws {
        let bitmap = try picture(30, 20, .icc(Self.profile))
        let message = Message.pixels(bitmap, duration: 0, place: .tail, id: 1)
        func response(_ tail: [UInt8], _ conversion: (any StandardConversion)?) -> Bitmap? {
            tail.withUnsafeBytes { tail in
                Worker.Response(message: message, tail: tail, memory: nil, scratch: nil).bitmap(conversion)
            }
        }
        let conversion = DeepColors.sRGB.conversion
        let tail = Array(bitmap.storage) + Self.profile
        #expect(response(tail, conversion)?.hasSamePixels(as: bitmap) == true)
        #expect(response(tail, nil) == nil)
        #expect(response(tail.dropLast(), conversion) == nil)
        #expect(response(tail + [0], conversion) == nil)
        #expect(response(Self.profile, conversion) == nil)
        #expect(response([], conversion) == nil)
    }
}
