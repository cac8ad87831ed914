/// Processors one after the other; neighbours that change pixels share one pass over them.
struct ProcessorChain: ImageProcessor {
    let identifier: String
    private let steps: [any ImageProcessor]

    init(_ first: any ImageProcessor, _ second: any ImageProcessor) {
        identifier = first.identifier + "|>" + second.identifier
        steps = [first, second].flatMap { ($0 as? ProcessorChain)?.steps ?? [$0] }
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        var result: Image?
        var rest = steps[...]
        while let step = rest.first {
            let item = result.map { ImageProcessItem.image($0) } ?? item
            let together = rest.prefix { $0 is any PixelProcessor }.compactMap { $0 as? any PixelProcessor }
            result =
                together.isEmpty
                ? step.process(item: item, options: options) : item.processed(by: together, options)
            if result == nil { return nil }
            rest.removeFirst(max(1, together.count))
        }
        return result
    }
}
