import Foundation

/// A processor with sizes in points, for a scale other than 1: its identifier names the scale, and so the sizes in pixels.
///
/// Otherwise an image that was created for one screen would be found in the caches for another.
struct ScaledProcessor: PixelProcessor {
    let base: any PixelProcessor
    let scale: CGFloat

    var identifier: String { "\(base.identifier)@\(Double(scale))x" }
    var rescalesImages: Bool { base.rescalesImages }
    var determinesSize: Bool { base.determinesSize }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        base.process(item: item, options: options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? { base.changes(options) }
}

extension ImageProcessor {
    /// This processor with an identifier for a scale in pixels per point; itself if its result has the same pixels at each scale.
    func named(forScale scale: CGFloat) -> any ImageProcessor {
        if let keeping = self as? MetadataProcessor {
            return MetadataProcessor(base: keeping.base.named(forScale: scale), policy: keeping.policy)
        }
        let steps = steps
        guard steps.contains(where: { $0 is ScaledProcessor || $0.hasSizesInPoints }) else { return self }
        let named = steps.map { step -> any ImageProcessor in
            let base = (step as? ScaledProcessor)?.base ?? step
            guard scale != 1, let pixels = base as? any PixelProcessor, pixels.hasSizesInPoints else {
                return base
            }
            return ScaledProcessor(base: pixels, scale: scale)
        }
        return named.count == 1 ? named[0] : ProcessorChain(named)
    }

    private var hasSizesInPoints: Bool { (self as? any PixelProcessor)?.hasSizesInPoints ?? false }
}
