import AlcedoLocks
public import Foundation

// MARK: - Making

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// An image of `data`, still or animated depending on the data and the options; nil on failure.
    ///
    /// Accepts any format with a registered codec. Without ``ImageCreatingOptions/preloadAll``, decoding is deferred.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        try? Image.make(of: data, options: options)
    }

    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        image(data: data, options: options)
    }

    /// An animation of a source's frames; nil if it has no frames or a required frame is damaged.
    ///
    /// With `preloadAll` or `onlyFirstFrame`, decodes all frames or the first one now. Otherwise the image keeps
    /// the source to decode frames on demand, and shows `baseImage`, if given, instead of the first frame while it
    /// does not animate.
    public static func animatedImage(
        source: any ImageFrameSource,
        options: ImageCreatingOptions,
        baseImage: KFCrossPlatformImage? = nil
    ) -> KFCrossPlatformImage? {
        var attachments = ImageAttachments(frameCount: source.frameCount, animatedData: source.data)
        if options.preloadAll || options.onlyFirstFrame {
            guard let decoded = GIFAnimatedImage(from: source, options: options) else { return nil }
            let frames = zip(decoded.images, decoded.durations).map(ImageAnimation.Frame.init)
            return Image(
                store: frames[0].image.store,
                pixelSize: frames[0].image.pixelSize,
                animation: options.onlyFirstFrame
                    ? nil : ImageAnimation(frames, loopCount: 0, duration: options.duration),
                options: options,
                attachments: attachments
            )
        }
        attachments.frameSource = source
        let first = baseImage ?? source.frame(at: 0).map { Image(cgImage: $0) }
        guard source.frameCount > 0, let first else { return nil }
        return Image(
            store: first.store,
            pixelSize: first.pixelSize,
            options: options,
            attachments: attachments
        )
    }

    /// An image of `data` whose longer side is the longer side of `pointSize` times `scale`, in pixels; never
    /// enlarged.
    ///
    /// Exception: a vector image is rendered at that size, for any size of its own. A JPEG or WebP never takes the
    /// memory of its full size. A size of zero keeps all pixels. Nil if decoding fails. Decodes on the calling thread.
    public static func downsampledImage(
        data: Data,
        to pointSize: CGSize,
        scale: CGFloat
    ) -> KFCrossPlatformImage? {
        let side = Double(max(pointSize.width, pointSize.height) * scale)
        let options = ImageCreatingOptions(scale: scale, onlyFirstFrame: true)
        guard let image = try? Image.make(of: data, options: options) else { return nil }
        return try? image.resized(to: side > 0 ? image.fittedSize(longerSide: side) : image.pixelSize)
    }

    // MARK: - Animations

    /// The number of frames of an animation; 1 for a GIF of one frame, nil for a still image.
    ///
    /// Setting it overrides the value and has no other effect.
    public var imageFrameCount: Int? {
        get {
            if let count = base.attachments.withLock({ $0.frameCount }) { return count }
            if let animation = base.animation { return animation.frames.count }
            if let info = base.encoded?.info { return info.isAnimation ? info.frameCount : nil }
            return base.frameCount > 1 ? base.frameCount : nil
        }
        nonmutating set { base.attachments.withLock { $0.frameCount = newValue } }
    }

    /// The source that decodes an animation's frames on demand; nil if they are preloaded or the image is still.
    public var frameSource: (any ImageFrameSource)? {
        if let source = base.attachments.withLock({ $0.frameSource }) { return source }
        guard base.animation == nil, !base.creatingOptions.onlyFirstFrame, let encoded = base.encoded,
            encoded.info.isAnimation, let made = try? EncodedFrames(encoded)
        else { return nil }
        return base.attachments.withLock { attachments in
            let source = attachments.frameSource ?? made
            attachments.frameSource = source
            return source
        }
    }

    /// ``frameSource``, if it decodes encoded bytes; else nil.
    public var imageSource: CGImageSource? { frameSource as? CGImageSource }

    /// The original bytes of an animation; nil for a still or a processed image.
    public var animatedImageData: Data? {
        if let data = base.attachments.withLock({ $0.animatedData }) { return data }
        guard let encoded = base.encoded, encoded.info.isAnimation else { return nil }
        return encoded.data
    }

    /// Attaches this image's frame source, frame count and animated data to another image.
    public func copyKingfisherState(to target: KFCrossPlatformImage) {
        let state = ImageAttachments(
            frameCount: imageFrameCount,
            frameSource: frameSource,
            animatedData: animatedImageData
        )
        let old = target.attachments.withLock { exchange(&$0, with: state) }
        _ = consume old
        target.store.notifyCostObservers()
    }

    // MARK: - Decoding

    /// Decodes the image on the calling thread and returns the image itself, also if it is damaged.
    public var decoded: KFCrossPlatformImage {
        _ = try? base.bitmap()
        return base
    }

    /// Decodes the image on the calling thread and returns it with `scale` pixels per point.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage { decoded.kf.scaled(to: scale) }

    /// The image itself, which is always upright.
    public var normalized: KFCrossPlatformImage { base }

    /// The same image with `scale` pixels per point.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage {
        scale == base.scale ? base : Image(base, scale: scale)
    }
}
