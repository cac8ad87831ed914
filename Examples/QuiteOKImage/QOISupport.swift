import Alcedo
import Foundation

// A format of one's own takes two types: a processor that makes images of its bytes, and a serializer that has the disk
// cache keep images in it. Everything else, from the download to the memory cache, stays as it is:
//
//     KingfisherManager.shared.retrieveImage(
//         with: url, options: [.processor(QOIProcessor()), .cacheSerializer(QOISerializer())])

/// Makes images of Quite OK Image files, and of what Alcedo knows by itself.
struct QOIProcessor: ImageProcessor {
    let identifier = "org.example.QOIProcessor"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard case .data(let data) = item, QOI.recognises(Array(data.prefix(4))) else {
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
        return QOISerializer().image(with: data, options: options)
    }
}

/// Keeps images as Quite OK Image files.
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
