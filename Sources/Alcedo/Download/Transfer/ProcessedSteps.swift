import AlcedoLocks

/// The result of a chain's first processors, from which coalesced loads that start with them continue.
struct ProcessedSteps: Sendable {
    let image: Image

    /// How many of the chain's processors have run.
    let count: Int

    /// The image that the options' processor creates, by its remaining steps; nil if one fails.
    func finished(_ options: KingfisherParsedOptionsInfo) -> Result<Image, KingfisherError>? {
        let remaining = options.processor.steps.dropFirst(count)
        guard !remaining.isEmpty else { return .success(image) }
        let chain = ProcessorChain(remaining)
        return chain.process(item: .image(image.withOwnPixels), options: options).map { .success($0) }
    }

    /// Runs the processors that all `chains` start with, after those that have run already.
    ///
    /// Each of the chains produces the same pixels from the result as by itself. Adjacent pixel processors of a chain run in
    /// one pass, which may decode at a reduced size. To end such a pass early is the same only if it has changed the image;
    /// an unchanged one has cost nothing, and the result is then that of the processors before the pass.
    /// Returns `done` or more steps; nil if a processor fails.
    static func common(
        to chains: [[any ImageProcessor]], after done: ProcessedSteps?, of body: ImageProcessItem,
        options: KingfisherParsedOptionsInfo, in run: ProcessingRun
    ) -> ProcessedSteps? {
        guard let first = chains.first else { return done }
        var options = options
        options.processingRun = run
        let start = done?.count ?? 0
        var end = start
        while end < first.count,
            chains.allSatisfy({ $0.count > end && $0[end].identifier == first[end].identifier })
        {
            end += 1
        }
        var pass = end
        if chains.contains(where: { $0.count > end && $0[end] is any PixelProcessor }) {
            while pass > start, first[pass - 1] is any PixelProcessor { pass -= 1 }
        }
        var done = done
        for (from, to) in [(start, pass), (pass, end)] where from < to {
            let item = done.map { ImageProcessItem.image($0.image.withOwnPixels) } ?? body
            guard let image = ProcessorChain(first[from..<to]).process(item: item, options: options) else {
                return nil
            }
            if from == pass, pass < end, image.encoded != nil { return done }
            done = ProcessedSteps(image: image, count: to)
        }
        return done
    }
}

extension Image {
    /// A copy of the image whose pixels only this value decodes; an image without bytes itself.
    ///
    /// What a processor creates from encoded bytes may depend on whether they are decoded.
    fileprivate var withOwnPixels: Image {
        guard let encoded, animation == nil else { return self }
        return Image(
            store: PixelStore(encoded, decoded: decodedBitmap), pixelSize: pixelSize,
            options: creatingOptions,
            attachments: attachments.withLock { $0 })
    }
}
