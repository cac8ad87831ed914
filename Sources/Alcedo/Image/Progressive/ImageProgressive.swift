public import Foundation

/// How a view displays a progressive JPEG while it loads.
public struct ImageProgressive: Sendable {
    /// What a view does with a preview of an incomplete image.
    public enum UpdatingStrategy {
        /// Shows the preview.
        case `default`
        /// Keeps the present image.
        case keepCurrent
        /// Shows another image; nothing for nil.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurs early scans, which are coarse.
    @available(*, deprecated, message: "A shared value shares its onImageUpdated; make one with init().")
    public static let `default` = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0)

    /// Whether early scans, which are coarse, are blurred.
    public var isBlur: Bool

    /// Whether to show only the latest scan if several arrive at once.
    public var isFastestScan: Bool

    /// The minimum time between two previews, in seconds.
    public var scanInterval: TimeInterval

    /// Called on the main thread before each preview is shown, to choose the strategy.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Blurs early scans, shows only the latest scan, with no minimum interval.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    /// Sets each of the properties.
    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
