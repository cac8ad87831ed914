import Foundation

/// What two loads must have in common to get the same image of the same bytes, or with `isProcessed` false, the same image
/// before it is processed.
struct ImageRecipe: Hashable {
    private let queue: ObjectIdentifier?
    private let processor: String
    private let scale: CGFloat
    private let preloadsAll: Bool
    private let onlyFirstFrame: Bool
    private let limits: DecodeLimits
    private let decodesReduced: Bool
    private let codecs: ObjectIdentifier?
    private let budget: ObjectIdentifier?

    init(_ options: KingfisherParsedOptionsInfo, isProcessed: Bool = true) {
        queue = options.processingQueue?.queue.map { ObjectIdentifier($0) }
        processor = isProcessed ? options.processor.identifier : ""
        scale = options.scaleFactor
        preloadsAll = options.preloadAllAnimationData
        onlyFirstFrame = options.onlyLoadFirstFrame
        limits = options.decodeLimits
        decodesReduced = options.decodesReduced
        codecs = options.codecs.map { ObjectIdentifier($0) }
        budget = options.decodeBudget.map { ObjectIdentifier($0) }
    }
}
