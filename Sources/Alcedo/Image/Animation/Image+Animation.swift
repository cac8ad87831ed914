import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
public import Foundation

extension Image {
    /// An animation of `images` that loops forever, each shown for an equal part of `duration` seconds; nil without
    /// images.
    ///
    /// The first image determines scale and size; images of other sizes are stretched when the animation is encoded.
    public static func animatedImage(with images: [Image], duration: TimeInterval) -> Image? {
        guard let first = images.first else { return nil }
        let part = duration > 0 && duration.isFinite ? duration / Double(images.count) : 0.1
        let frames = images.map { ImageAnimation.Frame(image: $0, duration: part) }
        return Image(first, animation: ImageAnimation(frames, loopCount: 0, isMadeOfImages: true))
    }

    /// The frames of an animation that was preloaded or created from images; nil otherwise.
    ///
    /// An animation whose frames are decoded on demand has a `kf.frameSource` instead.
    public var images: [Image]? { animation?.frames.map(\.image) }

    /// The duration of one loop in seconds; infinite for an animation of one frame, 0 for a still image.
    public var duration: TimeInterval {
        if let animation { return animation.duration }
        guard let source = kf.frameSource, source.frameCount > 0 else { return 0 }
        if creatingOptions.duration > 0 { return creatingOptions.duration }
        guard source.frameCount > 1 else { return .infinity }
        return (0..<source.frameCount).reduce(0) { $0 + source.duration(at: $1) }
    }

    /// The number of loops of an animation: 0 for forever; 1 for a still image.
    public var loopCount: Int {
        guard frameCount > 1 else { return 1 }
        return animation?.loopCount ?? info?.loopCount ?? (kf.frameSource as? MappedFrames)?.loopCount ?? 0
    }

    public var frameCount: Int {
        if let animation { return animation.frames.count }
        if creatingOptions.onlyFirstFrame { return 1 }
        return max(1, encoded?.info.frameCount ?? attachments.withLock { $0.frameSource }?.frameCount ?? 1)
    }

    /// An image with the pixels of `first`, the first frame of `animation`.
    convenience init(_ first: Image, animation: ImageAnimation) {
        self.init(
            store: first.store,
            pixelSize: first.pixelSize,
            animation: animation,
            options: ImageCreatingOptions(scale: first.scale, preloadAll: true)
        )
    }

    /// Creates an image of `data`: still, animated, or animated with all frames preloaded, depending on `options`.
    ///
    /// With `mayBeReduced`, the file may have more pixels than `limits.pixelsPerFrame`, see
    /// ``DecodeLimits/storedPixelsPerFrame``; decoding such an image at full size throws.
    ///
    /// - Throws: ``CodecError`` as ``init(decoding:scale:limits:)`` does, and for a damaged frame if all frames are
    ///   preloaded. Exception: a PNG with a damaged frame is decoded on demand and plays up to that frame.
    static func make(
        of data: Data,
        options: ImageCreatingOptions,
        limits: DecodeLimits = DecodeLimits(),
        mayBeReduced: Bool = false,
        resources: DecodeResources = DecodeResources()
    ) throws(CodecError) -> Image {
        let encoded = try EncodedImage(
            data, limits: limits, onlyFirstFrame: options.onlyFirstFrame, mayBeReduced: mayBeReduced,
            resources: resources)
        let info = encoded.info
        let isAnimated = info.isAnimation && !options.onlyFirstFrame
        let byteLimit = min(limits.preloadedBytes, resources.budget.bytes)
        guard isAnimated, options.preloadAll, info.preloadedBytes <= byteLimit,
            let animation = try preloaded(encoded, options: options)
        else { return Image(store: PixelStore(encoded), pixelSize: info.uprightSize, options: options) }
        return Image(
            store: PixelStore(encoded, decoded: try animation.frames.first?.image.bitmap()),
            pixelSize: info.uprightSize,
            animation: animation,
            options: options
        )
    }

    /// Decodes all frames; nil for a PNG whose default image decodes but one of whose frames is damaged.
    private static func preloaded(
        _ encoded: EncodedImage,
        options: ImageCreatingOptions
    ) throws(CodecError) -> ImageAnimation? {
        do throws(CodecError) {
            let bytes = encoded.info.preloadedBytes
            return try encoded.resources.budget.withReservation(of: bytes) { () throws(CodecError) in
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
            // Consecutive frames with equal pixels share one bitmap.
            let image =
                if let last, try last.bitmap().hasSamePixels(as: bitmap) { last } else {
                    Image(bitmap: bitmap, scale: options.scale)
                }
            let duration = GIFAnimatedImage.displayDuration(frame.duration)
            frames.append(ImageAnimation.Frame(image: image, duration: duration))
        }
        guard !frames.isEmpty else { throw .corrupt(encoded.info.format, reason: "it has no frames") }
        return ImageAnimation(frames, loopCount: encoded.info.loopCount, duration: options.duration)
    }

    /// The image with `transform` applied to every frame, at the same scale; runs on the calling thread.
    ///
    /// Frames that are not decoded yet are transformed on demand, so `transform` must be deterministic.
    package func mapped(
        _ transform: @escaping @Sendable (Bitmap) throws(CodecError) -> Bitmap
    ) throws(CodecError) -> Image {
        if let animation {
            var frames: [ImageAnimation.Frame] = []
            // Frames that share a bitmap share the transformed bitmap.
            var transformed: [ObjectIdentifier: Image] = [:]
            for frame in animation.frames {
                let shared = ObjectIdentifier(frame.image.store)
                let image =
                    if let image = transformed[shared] { image } else {
                        Image(bitmap: try transform(frame.image.bitmap()), scale: scale)
                    }
                transformed[shared] = image
                frames.append(ImageAnimation.Frame(image: image, duration: frame.duration))
            }
            return Image(
                frames[0].image, animation: ImageAnimation(frames, loopCount: animation.loopCount))
        }
        let first = try transform(bitmap())
        guard frameCount > 1, let source = kf.frameSource else { return Image(bitmap: first, scale: scale) }
        var options = creatingOptions
        options.scale = scale
        let mapped = MappedFrames(source, loopCount: loopCount, transform)
        return Image(
            store: PixelStore(first),
            pixelSize: first.size,
            options: options,
            attachments: ImageAttachments(frameSource: mapped)
        )
    }
}

extension ImageInfo {
    /// Whether the image has several frames or is a GIF; a GIF of one frame counts as an animation.
    var isAnimation: Bool { frameCount > 1 || format == .gif }

    /// The size of all frames' pixels, in bytes.
    fileprivate var preloadedBytes: Int {
        let (bytes, overflow) = size.area.multipliedReportingOverflow(by: frameCount * 4)
        return overflow ? .max : bytes
    }
}

/// A cached animation may have been created with other options than those of the present load.
extension Image {
    /// Whether `options` would create a different image: preloaded, decoded on demand, or only the first frame.
    func needsRemaking(for options: KingfisherParsedOptionsInfo) -> Bool {
        var wanted = options.imageCreatingOptions
        // The options do not include a duration.
        wanted.duration = creatingOptions.duration
        guard wanted != creatingOptions, (kf.imageFrameCount ?? 1) > 1 else { return false }
        return kf.animatedImageData != nil || frameCount > 1 && (wanted.onlyFirstFrame || wanted.preloadAll)
    }

    /// Creates the image that `options` describe: from the original bytes with the options' processor, or from the
    /// frames if the image is processed already; nil if this image satisfies `options` or is damaged.
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
