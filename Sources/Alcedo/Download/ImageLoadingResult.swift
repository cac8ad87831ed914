public import Foundation

/// A downloaded image.
public struct ImageLoadingResult: Sendable {
    /// The image, processed.
    public let image: KFCrossPlatformImage

    /// Where it was downloaded from; nil if a provider handed it over.
    public let url: URL?

    /// The bytes as they came.
    public let originalData: Data

    /// How the download went; nil if there was none.
    public let metrics: NetworkMetrics?

    /// Makes a result.
    public init(
        image: KFCrossPlatformImage,
        url: URL? = nil,
        originalData: Data,
        metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.url = url
        self.originalData = originalData
        self.metrics = metrics
    }
}
