public import Foundation

// Options for processing.

extension KFOptionSetter {
    /// Sets ``KingfisherParsedOptionsInfo/backgroundDecode``.
    public func backgroundDecode(_ enabled: Bool = true) -> Self {
        setting { $0.backgroundDecode = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/scaleFactor``.
    public func scaleFactor(_ factor: CGFloat) -> Self {
        setting { $0.scaleFactor = factor }
    }

    /// Sets ``KingfisherParsedOptionsInfo/maximumDecodedPixels``.
    public func maximumDecodedPixels(_ count: Int?) -> Self {
        setting { $0.maximumDecodedPixels = count }
    }

    /// Sets ``KingfisherParsedOptionsInfo/downsampleToViewSize``.
    public func downsampleToViewSize(_ enabled: Bool = true) -> Self {
        setting { $0.downsampleToViewSize = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/processingQueue``.
    public func processingQueue(_ queue: CallbackQueue?) -> Self {
        setting { $0.processingQueue = queue }
    }

    /// Sets ``KingfisherParsedOptionsInfo/imageModifier``.
    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting { $0.imageModifier = modifier }
    }

    /// Modifies the image before delivery; if the block throws, the unmodified image is delivered.
    public func imageModifier(_ block: @escaping @Sendable (inout KFCrossPlatformImage) throws -> Void)
        -> Self
    {
        imageModifier(
            AnyImageModifier { image in
                var image = image
                try block(&image)
                return image
            }
        )
    }

    // MARK: - Processors

    /// Sets ``KingfisherParsedOptionsInfo/processor``, and replaces those set before.
    public func setProcessor(_ processor: any ImageProcessor) -> Self {
        setting { $0.processor = processor }
    }

    /// Sets a chain of processors, and replaces those set before; the default processor for an empty array.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let first = processors.first ?? DefaultImageProcessor.default
        return setProcessor(processors.dropFirst().reduce(first) { $0 |> $1 })
    }

    /// Appends a processor to those set before.
    ///
    /// The first one replaces the default processor, so the cache key is the same as with the option `.processor`.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setting { options in
            let isFirst = options.processor.identifier == DefaultImageProcessor.default.identifier
            options.processor = isFirst ? processor : options.processor |> processor
        }
    }

    /// Adds rounded corners; see ``RoundCornerImageProcessor``.
    public func roundCorner(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius,
                targetSize: targetSize,
                roundingCorners: corners,
                backgroundColor: backgroundColor
            )
        )
    }

    /// Adds a blur; see ``BlurImageProcessor``.
    public func blur(radius: CGFloat) -> Self {
        appendProcessor(BlurImageProcessor(blurRadius: radius))
    }

    /// Adds a colour over the image; see ``OverlayImageProcessor``.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Adds a tint; see ``TintImageProcessor``.
    public func tint(color: KFCrossPlatformColor) -> Self {
        appendProcessor(TintImageProcessor(tint: color))
    }

    /// Adds a conversion to greyscale; see ``BlackWhiteProcessor``.
    public func blackWhite() -> Self {
        appendProcessor(BlackWhiteProcessor())
    }

    /// Adds cropping; see ``CroppingImageProcessor``.
    public func cropping(size: CGSize, anchor: CGPoint = .init(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Adds downsampling while decoding; see ``DownsamplingImageProcessor``.
    public func downsampling(size: CGSize) -> Self {
        appendProcessor(DownsamplingImageProcessor(size: size))
    }

    /// Adds resizing; see ``ResizingImageProcessor``.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }
}
