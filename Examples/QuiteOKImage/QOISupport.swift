import Alcedo
import Foundation

// A custom format needs two types: a processor that decodes it, and a serializer that stores images in the disk
// cache. No other part, from the download to the memory cache, has to change:
//
//     KingfisherManager.shared.retrieveImage(
//         with: url, options: [.processor(QOIProcessor()), .cacheSerializer(QOISerializer())])

/// Decodes Quite OK Images, and all formats of Alcedo.
struct QOIProcessor: ImageProcessor {
    let identifier = "org.example.QOIProcessor"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard case .data(let data) = item, QOI.recognises(Array(data.prefix(4))) else {
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
        return QOISerializer().image(with: data, options: options)
    }
}

/// Stores images as Quite OK Image files.
struct QOISerializer: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if let original, QOI.recognises(Array(original.prefix(4))) { return original }
        guard let pixels = try? image.pixels(in: PixelLayout(.rgba, .straight)) else { return nil }
        return Data(QOI.encode(pixels, size: image.pixelSize))
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let (pixels, size) = QOI.decode(Array(data), limit: options.decodeLimits.pixelsPerFrame) else {
            return nil
        }
        return try? Image(
            pixels: pixels.span.bytes, size: size, layout: PixelLayout(.rgba, .straight),
            scale: options.scaleFactor)
    }
}
