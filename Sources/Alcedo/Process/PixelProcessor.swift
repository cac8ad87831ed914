import AlcedoPixels

/// A processor that changes pixels frame by frame, and so can share its pass over them with the next one of a chain.
protocol PixelProcessor: ImageProcessor {
    /// Whether an image is first brought to the option `scaleFactor`; bytes always are.
    var rescalesImages: Bool { get }

    /// What it does, in order; nothing, where images stay as they are. Nil if it can't do that to any image.
    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]?
}

extension PixelProcessor {
    var rescalesImages: Bool { true }
}

extension ImageProcessItem {
    /// The item after one processor or several, in one pass; nil if it can't be decoded or changed.
    func processed(
        by processors: some Sequence<any PixelProcessor>,
        _ options: KingfisherParsedOptionsInfo
    ) -> Image? {
        var isOurs = false
        var image: Image
        switch self {
        case .image(let given): image = given
        case .data(let data):
            let made = options.noting { () throws(CodecError) in
                try Image.make(
                    of: data, options: options.imageCreatingOptions, limits: options.decodeLimits,
                    mayBeReduced: true)
            }
            guard let made else { return nil }
            image = made
            isOurs = true
        }
        var pipeline = PixelPipeline(scale: image.scale)
        for processor in processors {
            if processor.rescalesImages { pipeline.scale = options.scaleFactor }
            guard let changes = processor.changes(options) else { return nil }
            pipeline.append(changes)
        }
        return options.noting { () throws(CodecError) in
            let result = try pipeline.apply(to: image, isOurs: isOurs)
            // One that came out as it was must be fit to be decoded whole.
            if let encoded = result.encoded {
                try options.decodeLimits.check(frame: encoded.info.size, of: encoded.info.format)
            }
            return result
        }
    }
}
