public import Foundation

/// How a progressive JPEG is shown while it loads.
public struct ImageProgressive: Sendable {
    /// What a view does with a picture of an incomplete image.
    public enum UpdatingStrategy {
        /// Shows it.
        case `default`
        /// Keeps what it shows.
        case keepCurrent
        /// Shows another image, or nothing for nil.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurs early scans, which are coarse.
    @available(*, deprecated, message: "A shared value shares its onImageUpdated; make one with init().")
    public static let `default` = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0)

    /// Whether early scans, which are coarse, are blurred.
    public var isBlur: Bool

    /// Whether only the latest scan is shown when several have come at once.
    public var isFastestScan: Bool

    /// The least time between two pictures, in seconds.
    public var scanInterval: TimeInterval

    /// Asked, on the main thread, about each picture before it is shown.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Blurred, the latest scan only, without a pause.
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
