import AlcedoCodecs
import AlcedoPixels

/// Converts images that were loaded with ``ColorRetention/full`` to one colour space, with 16 bits a channel.
package struct ColorSpaceProcessor: ImageProcessor, PixelProcessor {
    package enum Target: String, Sendable {
        case sRGB
        case displayP3
    }

    private let target: Target

    package init(_ target: Target) { self.target = target }

    package var identifier: String { "alcedo.ColorSpaceProcessor(\(target.rawValue))" }

    package func process(
        item: ImageProcessItem, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let target = target
        return [
            .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
                switch target {
                case .sRGB: try bitmap.inSRGB()
                case .displayP3: try bitmap.inDisplayP3()
                }
            }
        ]
    }
}
