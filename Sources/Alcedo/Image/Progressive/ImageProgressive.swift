public import Foundation

/// How a view displays an image while it loads.
///
/// | format | previews |
/// |---|---|
/// | progressive JPEG | each complete scan |
/// | a JPEG with an EXIF thumbnail of its shape, at most a quarter as wide | the thumbnail at once; of a progressive one then its scans |
/// | other JPEG, PNG, still WebP | the first rows, transparent below |
/// | interlaced PNG | all rows, coarse at first |
/// | lossy JPEG XL | coarse at first, then finer |
///
/// Those of a progressive JPEG come with its scans; any other image has one after 4 KiB, and then whenever half as many bytes
/// again have come. The option `processor` is applied to each. Previews are never cached.
public struct ImageProgressive: Sendable {
    /// What a view does with a preview of an incomplete image.
    public enum UpdatingStrategy {
        case `default`
        case keepCurrent
        /// Shows another image; nothing for nil.
        case replace(KFCrossPlatformImage?)
    }

    @available(*, deprecated, message: "A shared value shares its onImageUpdated; make one with init().")
    public static let `default` = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0)

    /// Whether early scans of a progressive JPEG, which are coarse, are blurred.
    public var isBlur: Bool

    /// Whether to show only the latest preview if there are several at once.
    public var isFastestScan: Bool

    /// The minimum time between two previews, in seconds.
    public var scanInterval: TimeInterval

    /// Called on the main thread before each preview is shown, to choose the strategy.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Blurs early scans, shows only the latest preview, with no minimum interval.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
