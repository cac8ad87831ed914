import Foundation

/// What two loads must have in common to get the same image of the same bytes, or with `isProcessed` false, the same image
/// before it is processed.
struct ImageRecipe: Hashable {
    fileprivate let queue: ObjectIdentifier?
    fileprivate let processor: String
    fileprivate let scale: CGFloat
    fileprivate let preloadsAll: Bool
    fileprivate let onlyFirstFrame: Bool
    fileprivate let limits: DecodeLimits
    fileprivate let decodesReduced: Bool
    fileprivate let codecs: ObjectIdentifier?
    fileprivate let budget: ObjectIdentifier?
}

extension KingfisherParsedOptionsInfo {
    /// No initializer of ``ImageRecipe``, which would get a copy of these options.
    func recipe(isProcessed: Bool = true) -> ImageRecipe {
        ImageRecipe(
            queue: processingQueue?.queue.map { ObjectIdentifier($0) },
            processor: isProcessed ? processor.identifier : "", scale: scaleFactor,
            preloadsAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame, limits: decodeLimits,
            decodesReduced: decodesReduced, codecs: codecs.map { ObjectIdentifier($0) },
            budget: decodeBudget.map { ObjectIdentifier($0) })
    }
}
