import AlcedoTransport
import Foundation

// Images whose bytes turn out to be damaged when they are decoded: caches drop them, and their source is loaded again.

extension ImageLoad {
    /// Removes the images of `source` from the caches if the pixels of `image`, which are not decoded yet, turn out damaged.
    func watch(_ image: KFCrossPlatformImage, of source: Source) {
        guard image.decodedBitmap == nil, let encoded = image.encoded else { return }
        let (key, url) = (source.cacheKey, source.url)
        // Weak, because the cache keeps the image, which keeps this.
        encoded.damage.whenDamaged {
            [
                weak target = options.targetCache, weak original = options.originalCache,
                weak downloader = options.downloader
            ] in
            target?.removeImages(forKey: key)
            if original !== target { original?.removeImages(forKey: key) }
            if let url {
                downloader?.session.responses?.invalidate(CachingTransport.keys(of: url.absoluteString))
            }
        }
    }

    /// Whether a cached image, which a processor could not use, is damaged, so that the source is to be loaded.
    func isDamaged(_ image: KFCrossPlatformImage, of source: Source) -> Bool {
        guard let encoded = image.encoded else { return false }
        watch(image, of: source)
        // A processor decodes the frames of an animation one by one.
        if encoded.info.frameCount > 1, !encoded.damage.isDamaged { _ = try? encoded.decode() }
        // The processor may have another reason to fail.
        return encoded.damage.isDamaged && options.reads(.network)
    }
}
