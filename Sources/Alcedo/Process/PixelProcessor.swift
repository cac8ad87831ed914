import AlcedoPixels

/// A processor of bitmaps; adjacent pixel processors of a chain run in one pass over each frame.
protocol PixelProcessor: ImageProcessor {
    /// Whether to set an image's scale to the option `scaleFactor` first; images of bytes always have it.
    var rescalesImages: Bool { get }

    /// Whether the size of the result is the processor's choice and not the image's; false by default.
    var determinesSize: Bool { get }

    /// Whether the result depends on the option `scaleFactor`; false by default.
    var hasSizesInPoints: Bool { get }

    /// The changes in order; empty if they have no effect. Nil if the parameters are invalid.
    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]?
}

extension PixelProcessor {
    var rescalesImages: Bool { true }

    var determinesSize: Bool { false }

    var hasSizesInPoints: Bool { false }
}

extension ImageProcessItem {
    /// Applies processors to the item in one pass; nil if it cannot be decoded or changed.
    func processed(
        by processors: some Sequence<any PixelProcessor>,
        _ options: KingfisherParsedOptionsInfo
    ) -> Image? {
        var isUnshared = false
        var image: Image
        switch self {
        case .image(let given): image = given.retainingColor(options.decodeLimits)
        case .data(let data):
            let decoded = options.recording { () throws(CodecError) in
                try Image.make(
                    of: data, options: options.imageCreatingOptions, limits: options.decodeLimits,
                    mayBeReduced: true, resources: options.decodeResources)
            }
            guard let decoded else { return nil }
            image = decoded
            isUnshared = true
        }
        var pipeline = PixelPipeline(scale: image.scale)
        for processor in processors {
            if processor.rescalesImages { pipeline.scale = options.scaleFactor }
            guard let changes = processor.changes(options) else { return nil }
            pipeline.append(changes, of: "\(type(of: processor))")
        }
        return options.recording { () throws(CodecError) in
            let result = try pipeline.apply(to: image, isUnshared: isUnshared)
            // An unchanged image will be decoded at full size, so its size must be within the limits.
            if let encoded = result.encoded {
                try options.decodeLimits.check(frame: encoded.info.size, of: encoded.info.format)
            }
            return result
        }
    }
}
