import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

struct `Decoding straight to a smaller size` {
    private let options = KingfisherParsedOptionsInfo(nil)

    /// A JPEG of waves in both directions, as a camera held that way stores it.
    private func waves(_ width: Int, _ height: Int, orientation: UInt8) throws -> Data {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let wave = sin(Double(x) / 7) + sin(Double(y) / 6)
                    let place = (y * width + x) * 4
                    for channel in 0..<3 { bytes[place + channel] = UInt8(128 + 60 * wave) }
                    bytes[place + 3] = 255
                }
            }
        }
        let encoded = try CodecRegistry.shared.encode(
            builder.freeze(), as: .jpeg, options: EncodeOptions { $0.quality = 0.97 })
        let tag: [UInt8] = [0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        let tiff: [UInt8] = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0] + tag + [0, 0, 0, 0]
        return Data([0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(tiff.count + 2)] + tiff + encoded.dropFirst(2))
    }

    /// The ratio of the largest signal to the difference, in decibels.
    private func likeness(_ one: Bitmap, _ other: Bitmap) -> Double {
        let sum = one.withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                zip(left, right).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            }
        }
        return 10 * log10(255 * 255 * Double(one.byteCount) / max(sum, 1))
    }

    @Test(arguments: [1, 3, 6, 8] as [UInt8], [(641, 427), (333, 500), (639, 97)])
    func `decoding straight to a smaller size is nearly a reduction of the whole picture`(
        orientation: UInt8, stored: (Int, Int)
    ) throws {
        let data = try waves(stored.0, stored.1, orientation: orientation)
        let image = try #require(Image(data: data))
        let whole = Image(bitmap: try image.bitmap())
        #expect(image.pixelSize.width == (orientation < 5 ? stored.0 : stored.1))
        for side in [40, 90, 121] as [CGFloat] {
            let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
            let direct = try #require(processor.process(item: .data(data), options: options)).bitmap()
            let reference = try #require(processor.process(item: .image(whole), options: options)).bitmap()
            #expect(direct.size == reference.size)
            #expect(likeness(direct, reference) > 42)
        }
    }

    @Test func `a chain that decodes to a smaller size turns the picture once`() throws {
        let chain =
            DownsamplingImageProcessor(size: CGSize(width: 60, height: 60))
            |> CroppingImageProcessor(size: CGSize(width: 30, height: 30))
            |> TintImageProcessor(tint: Color(red: 1, green: 0, blue: 0, alpha: 0.1))
        let data = try waves(300, 200, orientation: 6)
        let upright = try #require(Image(data: data)).bitmap()
        let direct = try #require(chain.process(item: .data(data), options: options)).bitmap()
        let item = ImageProcessItem.image(Image(bitmap: upright))
        let reference = try #require(chain.process(item: item, options: options)).bitmap()
        #expect(likeness(direct, reference) > 42)
    }

    @Test func `ten processors that change nothing shift no colour`() throws {
        let image = try #require(Image(data: try waves(33, 21, orientation: 1)))
        let clear = Color(red: 1, green: 0, blue: 0, alpha: 0)
        let steps: [any ImageProcessor] = [
            ResizingImageProcessor(referenceSize: CGSize(width: 33, height: 21)),
            BlendImageProcessor(blendMode: .copy), BlendImageProcessor(blendMode: .normal),
            TintImageProcessor(tint: clear), OverlayImageProcessor(overlay: .red, fraction: 0.999_99),
            ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 1.000_001, inputEV: 0),
            ColorControlsProcessor(brightness: 1e-7, contrast: 1, saturation: 1, inputEV: 0),
            BlendImageProcessor(blendMode: .multiply, backgroundColor: clear),
            BlendImageProcessor(blendMode: .xor), BlendImageProcessor(blendMode: .plusLighter),
        ]
        let chain = steps.dropFirst().reduce(steps[0]) { $0 |> $1 }
        let result = try #require(chain.process(item: .image(image), options: options)).bitmap()
        let isSame = try result.hasSamePixels(as: image.bitmap())
        #expect(isSame)
    }
}
