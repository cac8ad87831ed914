import Foundation

/// A cached animation may have been made with other options than those of the present load.
extension Image {
    /// Whether `options` would make a different image: preloaded, decoded on demand, or only the first frame.
    func needsRemaking(for options: KingfisherParsedOptionsInfo) -> Bool {
        var wanted = options.imageCreatingOptions
        // The options do not include a duration.
        wanted.duration = creatingOptions.duration
        guard wanted != creatingOptions, (kf.imageFrameCount ?? 1) > 1 else { return false }
        return kf.animatedImageData != nil || frameCount > 1 && (wanted.onlyFirstFrame || wanted.preloadAll)
    }

    /// Makes the image that `options` describe: from the original bytes with the options' processor, or from the
    /// frames if the image is processed already.
    ///
    /// - Returns: the new image; nil if this image satisfies `options` or is damaged.
    package func remade(with options: KingfisherParsedOptionsInfo) -> Image? {
        guard needsRemaking(for: options) else { return nil }
        if let data = kf.animatedImageData {
            return options.processor.process(item: .data(data), options: options)
        }
        let wanted = options.imageCreatingOptions
        if wanted.onlyFirstFrame {
            return (try? bitmap()).map { Image(bitmap: $0, scale: wanted.scale) }
        }
        guard let source = kf.frameSource, source.frameCount > 1,
            pixelSize.area <= min(options.decodeLimits.preloadedBytes, options.decodeResources.budget.bytes)
                / 4
                / source.frameCount
        else { return nil }
        return KingfisherWrapper.animatedImage(source: source.copy(), options: wanted)
    }
}
