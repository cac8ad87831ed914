public import Foundation

/// A downloaded image.
public struct ImageLoadingResult: Sendable {
    public let image: KFCrossPlatformImage

    /// The URL; nil if a provider returned the data.
    public let url: URL?

    public let originalData: Data

    /// The measurements; nil without a download.
    public let metrics: NetworkMetrics?

    /// The response as the transfer received it; nil if the program created the result.
    var fetched: FetchedResponse?

    /// The head of the response; nil without HTTP.
    public var response: ResponseMetadata? { fetched.map(ResponseMetadata.init) }

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

    init(
        image: KFCrossPlatformImage, url: URL, originalData: Data, metrics: NetworkMetrics,
        fetched: FetchedResponse?
    ) {
        self.init(image: image, url: url, originalData: originalData, metrics: metrics)
        self.fetched = fetched
    }
}
