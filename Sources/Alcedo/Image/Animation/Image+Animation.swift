import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
public import Foundation

extension Image {
    /// An animation of `images`, each shown for an equal part of `duration` seconds, for ever; nil without images.
    ///
    /// The first one gives it its scale and its size; others of another size are stretched when it is written to a file.
    public static func animatedImage(with images: [Image], duration: TimeInterval) -> Image? {
        guard let first = images.first else { return nil }
        let part = duration > 0 && duration.isFinite ? duration / Double(images.count) : 0.1
        let frames = images.map { ImageAnimation.Frame(image: $0, duration: part) }
        return Image(first, animation: ImageAnimation(frames, loopCount: 0, isMadeOfImages: true))
    }

    /// The frames of an animation that are all decoded, or were made one by one; nil otherwise.
    ///
    /// An animation whose frames are decoded as they are shown has a `kf.frameSource` instead.
    public var images: [Image]? { animation?.frames.map(\.image) }

    /// Seconds that an animation takes, infinite for one frame; 0 for a still image.
    public var duration: TimeInterval {
        if let animation { return animation.duration }
        guard let source = kf.frameSource, source.frameCount > 0 else { return 0 }
        if creatingOptions.duration > 0 { return creatingOptions.duration }
        guard source.frameCount > 1 else { return .infinity }
        return (0..<source.frameCount).reduce(0) { $0 + source.duration(at: $1) }
    }

    /// How often an animation plays: 0 for ever, 1 for a still image.
    public var loopCount: Int {
        guard frameCount > 1 else { return 1 }
        return animation?.loopCount ?? info?.loopCount ?? (kf.frameSource as? MappedFrames)?.loopCount ?? 0
    }

    /// Frames that it shows; 1 for a still image.
    public var frameCount: Int {
        if let animation { return animation.frames.count }
        if creatingOptions.onlyFirstFrame { return 1 }
        return max(1, encoded?.info.frameCount ?? attachments.withLock { $0.frameSource }?.frameCount ?? 1)
    }

    /// The picture of `first`, as the first frame of an animation.
    convenience init(_ first: Image, animation: ImageAnimation) {
        self.init(
            store: first.store,
            pixelSize: first.pixelSize,
            animation: animation,
            options: ImageCreatingOptions(scale: first.scale, preloadAll: true)
        )
    }

    /// Makes an image of `data`: still, animated, or animated with all its frames, as `options` say.
    ///
    /// One that is to be reduced may have more pixels in its file than `limits` allow, see
    /// ``DecodeLimits/storedPixelsPerFrame``; to ask it for all of them is an error.
    ///
    /// - Throws: ``CodecError`` as ``init(decoding:scale:limits:)`` does, and for a damaged frame if all are decoded, but of
    ///   a PNG: that is shown as far as it goes.
    static func make(
        of data: Data,
        options: ImageCreatingOptions,
        limits: DecodeLimits = DecodeLimits(),
        mayBeReduced: Bool = false
    ) throws(CodecError) -> Image {
        let encoded = try EncodedImage(
            data, limits: limits, onlyFirstFrame: options.onlyFirstFrame, mayBeReduced: mayBeReduced)
        let info = encoded.info
        let isAnimated = info.isAnimation && !options.onlyFirstFrame
        let most = min(limits.preloadedBytes, DecodeBudget.shared.bytes)
        guard isAnimated, options.preloadAll, info.preloadedBytes <= most,
            let animation = try preloaded(encoded, options: options)
        else { return Image(store: PixelStore(encoded), pixelSize: info.uprightSize, options: options) }
        return Image(
            store: PixelStore(encoded, decoded: try animation.frames.first?.image.bitmap()),
            pixelSize: info.uprightSize,
            animation: animation,
            options: options
        )
    }

    /// All frames; nil for a PNG whose still image is good, but some frame is not.
    private static func preloaded(
        _ encoded: EncodedImage,
        options: ImageCreatingOptions
    ) throws(CodecError) -> ImageAnimation? {
        do throws(CodecError) {
            return try DecodeBudget.shared.spending(encoded.info.preloadedBytes) { () throws(CodecError) in
                try allFrames(encoded, options: options)
            }
        } catch {
            guard encoded.info.format == .png, error.isDamage, (try? encoded.decode()) != nil else {
                throw error
            }
            return nil
        }
    }

    private static func allFrames(
        _ encoded: EncodedImage,
        options: ImageCreatingOptions
    ) throws(CodecError) -> ImageAnimation {
        let decoder = try encoded.frames()
        var frames: [ImageAnimation.Frame] = []
        while let frame = try decoder.next() {
            let bitmap = try frame.bitmap.oriented(encoded.info.orientation)
            let last = frames.last?.image
            // Frames that only prolong the one before share its pixels.
            let image =
                if let last, try last.bitmap().hasSamePixels(as: bitmap) { last } else {
                    Image(bitmap: bitmap, scale: options.scale)
                }
            let duration = GIFAnimatedImage.shown(frame.duration)
            frames.append(ImageAnimation.Frame(image: image, duration: duration))
        }
        guard !frames.isEmpty else { throw .corrupt(encoded.info.format, reason: "it has no frames") }
        return ImageAnimation(frames, loopCount: encoded.info.loopCount, duration: options.duration)
    }

    /// The image with every frame changed in the same way, at the same scale; works on the calling thread.
    ///
    /// Frames that are not decoded yet are changed when they are shown, so `change` must give the same for the same.
    package func mapped(
        _ change: @escaping @Sendable (Bitmap) throws(CodecError) -> Bitmap
    ) throws(CodecError) -> Image {
        if let animation {
            var frames: [ImageAnimation.Frame] = []
            // Frames that share pixels go on sharing them.
            var changed: [ObjectIdentifier: Image] = [:]
            for frame in animation.frames {
                let shared = ObjectIdentifier(frame.image.store)
                let image =
                    if let image = changed[shared] { image } else {
                        Image(bitmap: try change(frame.image.bitmap()), scale: scale)
                    }
                changed[shared] = image
                frames.append(ImageAnimation.Frame(image: image, duration: frame.duration))
            }
            return Image(
                frames[0].image, animation: ImageAnimation(frames, loopCount: animation.loopCount))
        }
        let first = try change(bitmap())
        guard frameCount > 1, let source = kf.frameSource else { return Image(bitmap: first, scale: scale) }
        var options = creatingOptions
        options.scale = scale
        let mapped = MappedFrames(source, loopCount: loopCount, change)
        return Image(
            store: PixelStore(first),
            pixelSize: first.size,
            options: options,
            attachments: ImageAttachments(frameSource: mapped)
        )
    }
}

extension ImageInfo {
    /// Whether it is an animation: several frames, or a GIF, which is one even if it has a single frame.
    var isAnimation: Bool { frameCount > 1 || format == .gif }

    /// Bytes of the pixels of all frames.
    fileprivate var preloadedBytes: Int {
        let (bytes, overflow) = size.area.multipliedReportingOverflow(by: frameCount * 4)
        return overflow ? .max : bytes
    }
}
