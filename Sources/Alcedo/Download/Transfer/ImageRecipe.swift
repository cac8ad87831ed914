import Foundation

/// What two callers must have in common to get the same image.
struct ImageRecipe: Hashable {
    /// Callers with the same recipe.
    struct Group: Sendable {
        /// In ascending order.
        let tokens: [SessionDataTask.CancelToken]

        /// One of them.
        fileprivate let caller: DownloadCaller

        /// The options of one caller, read where they are, because a copy counts dozens of references.
        ///
        /// Eleven copies fewer for each transfer, here and at its start, save a twentieth of its instructions.
        var options: KingfisherParsedOptionsInfo { caller.options }
    }

    private let queue: ObjectIdentifier?
    private var processor: String
    private let scale: CGFloat
    private let preloadsAll: Bool
    private let onlyFirstFrame: Bool
    private let limits: DecodeLimits
    private let codecs: ObjectIdentifier?
    private let budget: ObjectIdentifier?

    init(_ options: KingfisherParsedOptionsInfo) {
        queue = options.processingQueue?.queue.map { ObjectIdentifier($0) }
        processor = options.processor.identifier
        scale = options.scaleFactor
        preloadsAll = options.preloadAllAnimationData
        onlyFirstFrame = options.onlyLoadFirstFrame
        limits = options.decodeLimits
        codecs = options.codecs.map { ObjectIdentifier($0) }
        budget = options.decodeBudget.map { ObjectIdentifier($0) }
    }

    /// The recipe without the processor.
    var unprocessed: ImageRecipe {
        var recipe = self
        recipe.processor = ""
        return recipe
    }

    /// The callers by recipe.
    static func groups(of callers: [(token: SessionDataTask.CancelToken, caller: DownloadCaller)]) -> [Group]
    {
        guard callers.count != 1 else {
            return callers.map { Group(tokens: [$0.token], caller: $0.caller) }
        }
        return Dictionary(grouping: callers) { ImageRecipe($0.caller.options) }.values.compactMap { callers in
            callers.first.map { Group(tokens: callers.map(\.token), caller: $0.caller) }
        }
    }
}
