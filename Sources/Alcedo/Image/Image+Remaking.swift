import Foundation

/// A cached animation may have been made with other options than those of who asks for it now.
extension Image {
    /// Whether these options would make another image: all frames, as they are shown or decoded at once, or the first.
    func needsRemaking(for options: KingfisherParsedOptionsInfo) -> Bool {
        var wanted = options.imageCreatingOptions
        // Options say nothing of how long it takes; whoever made it did.
        wanted.duration = creatingOptions.duration
        guard wanted != creatingOptions, (kf.imageFrameCount ?? 1) > 1 else { return false }
        return kf.animatedImageData != nil || frameCount > 1 && (wanted.onlyFirstFrame || wanted.preloadAll)
    }

    /// The image that these options make: of its bytes and through their processor, or of its frames where it has been
    /// processed already.
    ///
    /// - Returns: the other image; nil where this one will do, or is damaged.
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
            pixelSize.area <= min(options.decodeLimits.preloadedBytes, DecodeBudget.shared.bytes) / 4
                / source.frameCount
        else { return nil }
        return KingfisherWrapper.animatedImage(source: source.copy(), options: wanted)
    }
}
