import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport

package struct GallerySample: Sendable {
    package let fileName: String

    /// Creates the file's bytes, deterministically.
    package let encode: @Sendable () throws -> [UInt8]
}

extension GallerySample {
    /// Photographs with EXIF orientations, drawn images, animated WebPs and GIFs.
    package static var all: [GallerySample] { photographs + drawn + animations }

    private static var drawn: [GallerySample] {
        GalleryPicture.all.enumerated().map { index, picture in
            picture.size.width <= 128 ? icon(picture, index) : large(picture, index)
        }
    }

    private static func icon(_ picture: GalleryPicture, _ index: Int) -> GallerySample {
        index.isMultiple(of: 3)
            ? sample(picture, as: .webp) { $0.isLossless = true }
            : sample(picture, as: .png) { _ in }
    }

    private static func large(_ picture: GalleryPicture, _ index: Int) -> GallerySample {
        switch index % 5 {
        case 0: sample(picture, as: .jpeg) { $0.quality = 0.85 }
        case 1: sample(picture, as: .jpeg) { $0 = EncodeOptions { $0.isProgressive = true } }
        case 2: rotated(picture, [.right, .left, .down][index / 5 % 3])
        case 3: sample(picture, as: .webp) { $0.quality = 0.8 }
        default: sample(picture, as: picture.size.area > 2_000_000 ? .jpeg : .png) { _ in }
        }
    }

    private static func sample(
        _ picture: GalleryPicture,
        as format: EncodedFormat,
        _ configure: @escaping @Sendable (inout EncodeOptions) -> Void
    ) -> GallerySample {
        GallerySample(fileName: "\(picture.name).\(format.rawValue)") {
            try CodecRegistry.shared.encode(picture.bitmap(), as: format, options: EncodeOptions(configure))
        }
    }

    /// A JPEG with rotated pixels and an EXIF orientation, as cameras store them.
    private static func rotated(_ picture: GalleryPicture, _ orientation: ImageOrientation) -> GallerySample {
        GallerySample(fileName: "\(picture.name)-turned.jpeg") {
            let inverse: ImageOrientation =
                orientation == .right ? .left : orientation == .left ? .right : orientation
            let stored = try picture.bitmap().oriented(inverse)
            let jpeg = try CodecRegistry.shared.encode(stored, as: .jpeg, options: EncodeOptions())
            return EXIFBuilder.insert(EXIFBuilder.tags(orientation: UInt8(orientation.rawValue)), in: jpeg)
        }
    }

    private static var photographs: [GallerySample] {
        ["Landscape_1", "Portrait_3", "Landscape_6", "Portrait_8", "Landscape_5"].map { name in
            GallerySample(fileName: "\(name).jpeg") { try Fixture.data("exif-orientation/\(name).jpg") }
        }
    }

    private static var animations: [GallerySample] {
        let gifs = ["porsche", "welcome2", "fire", "treescap-interlaced"].map { name in
            GallerySample(fileName: "\(name).gif") { try Fixture.data("gif/\(name).gif") }
        }
        let webps = Animation.allCases.map { animation in
            GallerySample(fileName: "\(animation.rawValue).webp") {
                let frames = try (0..<animation.frameCount).map {
                    AnimationFrame(
                        bitmap: try animation.frame($0), duration: animation.frameDuration / .seconds(1))
                }
                return try AnimatedWebP.encode(frames: frames, quality: 0.8)
            }
        }
        return webps + gifs
    }
}
