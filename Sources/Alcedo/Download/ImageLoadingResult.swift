public import Foundation

/// A downloaded image.
public struct ImageLoadingResult: Sendable {
    /// The image, processed.
    public let image: KFCrossPlatformImage

    /// The URL; nil if a provider returned the data.
    public let url: URL?

    /// The bytes received.
    public let originalData: Data

    /// The measurements; nil without a download.
    public let metrics: NetworkMetrics?

    /// A result of these parts.
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
