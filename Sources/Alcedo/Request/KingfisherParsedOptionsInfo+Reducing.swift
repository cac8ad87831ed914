import AlcedoPixels

extension KingfisherParsedOptionsInfo {
    /// These options with a processor that reduces images as ``downsampleToViewSize`` and ``maximumDecodedPixels`` say.
    ///
    /// A processor stays as it is if its first step determines the size, so a second call changes nothing.
    ///
    /// - Parameter view: the view's size in pixels; nil without one.
    /// - Returns: the options of the load.
    func reducing(for view: PixelSize? = nil) -> KingfisherParsedOptionsInfo {
        let view = downsampleToViewSize ? view : nil
        guard view != nil || maximumDecodedPixels != nil else { return self }
        var options = self
        if maximumDecodedPixels != nil { options.decodeLimits.allowGiants() }
        guard !processor.startsWithSize else { return options }
        let goal: ReducingImageProcessor.Goal? =
            if let view { .covering(view) } else { maximumDecodedPixels.map { .pixels($0) } }
        guard let goal else { return options }
        let reducing = ReducingImageProcessor(goal)
        options.processor = processor is DefaultImageProcessor ? reducing : reducing |> processor
        return options
    }
}

extension ImageProcessor {
    /// Whether the first step determines the image's size.
    fileprivate var startsWithSize: Bool {
        let first = (self as? ProcessorChain)?.first ?? self
        return (first as? any PixelProcessor)?.determinesSize ?? false
    }
}

extension DecodeLimits {
    /// The stored pixels of an image that is reduced to `maximumDecodedPixels`, unless the program has set another number.
    static let giantPixels = 1_000_000_000

    fileprivate mutating func allowGiants() {
        guard storedPixelsPerFrame == DecodeLimits().storedPixelsPerFrame else { return }
        storedPixelsPerFrame = Self.giantPixels
    }
}
