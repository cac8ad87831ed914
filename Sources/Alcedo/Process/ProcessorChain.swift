/// A sequence of processors; adjacent pixel processors run in one pass over each frame.
struct ProcessorChain: ImageProcessor {
    let identifier: String
    let steps: [any ImageProcessor]

    init(_ first: any ImageProcessor, _ second: any ImageProcessor) {
        identifier = first.identifier + "|>" + second.identifier
        steps = [first, second].flatMap(\.steps)
    }

    init(_ steps: some Collection<any ImageProcessor>) {
        identifier = steps.map(\.identifier).joined(separator: "|>")
        self.steps = Array(steps)
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        var result: Image?
        var remaining = steps[...]
        while let step = remaining.first {
            let item = result.map { ImageProcessItem.image($0) } ?? item
            let fused = remaining.prefix { $0 is any PixelProcessor }.compactMap { $0 as? any PixelProcessor }
            result =
                fused.isEmpty
                ? step.process(item: item, options: options) : item.processed(by: fused, options)
            guard let image = result else { return nil }
            if fused.isEmpty, case .image(let input) = item, input.hasDeepPixels, !image.hasDeepPixels {
                ReducingSteps.report("\(type(of: step))")
            }
            remaining.removeFirst(max(1, fused.count))
        }
        return result
    }
}

extension Image {
    /// Whether its pixels are decoded, and deep.
    fileprivate var hasDeepPixels: Bool { decodedBitmap?.isDeep == true }
}

extension ImageProcessor {
    /// The processors of a chain; this one alone if it is none.
    var steps: [any ImageProcessor] { (self as? ProcessorChain)?.steps ?? [self] }
}
