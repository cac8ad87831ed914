import AlcedoLocks
public import Foundation

// MARK: - Making

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// An image of `data`, still or animated as the data and the options say; nil if it can't be made.
    ///
    /// Any format that a codec knows. Without ``ImageCreatingOptions/preloadAll`` nothing is decoded yet.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        try? Image.make(of: data, options: options)
    }

    /// The same as ``image(data:options:)``: whatever can be animated is.
    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        image(data: data, options: options)
    }

    /// An animation of a source's frames; nil if it has none, or one that is needed is damaged.
    ///
    /// Decodes all frames, or the first, if the options say so. Otherwise the source is kept to decode frames when they
    /// are shown; then `baseImage`, if there is one, is what the image shows as long as nothing moves.
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

    /// An image of `data` whose longer side is the longer one of `pointSize` times `scale`, in pixels; never enlarged.
    ///
    /// But a vector picture is drawn at that size, whatever its own is. A JPEG or WebP never takes the memory of its full
    /// size. Nil if it can't be decoded. Made now, on this thread.
    public static func downsampledImage(
        data: Data,
        to pointSize: CGSize,
        scale: CGFloat
    ) -> KFCrossPlatformImage? {
        let side = Double(max(pointSize.width, pointSize.height) * scale)
        let options = ImageCreatingOptions(scale: scale, onlyFirstFrame: true)
        guard side > 0, let image = try? Image.make(of: data, options: options) else { return nil }
        return try? image.resized(to: image.fittedSize(longerSide: side))
    }
}

// MARK: - Animations

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The frames of an animation, shown or not; 1 for a GIF of one frame, nil for a still image.
    ///
    /// What is set is remembered and changes nothing else.
    public var imageFrameCount: Int? {
        get {
            if let count = base.attachments.withLock({ $0.frameCount }) { return count }
            if let animation = base.animation { return animation.frames.count }
            if let info = base.encoded?.info { return info.isAnimation ? info.frameCount : nil }
            return base.frameCount > 1 ? base.frameCount : nil
        }
        nonmutating set { base.attachments.withLock { $0.frameCount = newValue } }
    }

    /// The source that an animation's frames are decoded from as they are shown; nil if they were decoded at once, or
    /// the image is still.
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

    /// ``frameSource``, where the frames come from encoded bytes.
    public var imageSource: CGImageSource? { frameSource as? CGImageSource }

    /// The bytes of an animation that the image was made from; nil for a still image, or where it was changed.
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
        target.store.tellFollowers()
    }
}

// MARK: - Decoding

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The same picture, decoded now and on this thread; the image itself if it is damaged.
    public var decoded: KFCrossPlatformImage {
        _ = try? base.bitmap()
        return base
    }

    /// The same picture, decoded now and on this thread, with `scale` pixels to a point.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage { decoded.kf.scaled(to: scale) }

    /// The image itself, which always stands upright.
    public var normalized: KFCrossPlatformImage { base }

    /// The same picture with `scale` pixels to a point.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage {
        scale == base.scale ? base : Image(base, scale: scale)
    }
}
