public import Foundation

/// The view type of an ``Indicator`` in Kingfisher's API.
public typealias IndicatorView = KFCrossPlatformView

/// The kind of indicator in front of a view while it loads an image.
public enum IndicatorType {
    case none
    /// The toolkit's activity indicator.
    case activity
    case image(imageData: Data)
    case custom(indicator: any Indicator)
}

/// Shows that a load is in progress.
@MainActor
public protocol Indicator: Sendable {
    @MainActor func startAnimatingView()
    @MainActor func stopAnimatingView()

    /// The offset of its centre from the loading view's centre, in points; zero by default.
    @MainActor var centerOffset: CGPoint { get }

    /// The view in front of the loading view.
    @MainActor var view: IndicatorView { get }

    /// Its size in front of `imageView`; by default its own size.
    @MainActor func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

/// How large an indicator is in front of the loading view.
public enum IndicatorSizeStrategy: Hashable, Sendable {
    case intrinsicSize
    /// The size of the loading view.
    case full
    /// A size in points.
    case size(CGSize)
}

extension Indicator {
    public var centerOffset: CGPoint { .zero }

    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .intrinsicSize
    }
}

/// The toolkit's activity indicator.
@MainActor
final class ActivityIndicator: Indicator {
    private final class ActivityView: KFCrossPlatformView {
        let activity: any ActivitySurface

        init(_ activity: any ActivitySurface) {
            self.activity = activity
            super.init(surface: activity)
            isHidden = true
        }
    }

    private let activityView: ActivityView

    init(_ surface: any ActivitySurface) { activityView = ActivityView(surface) }

    var view: IndicatorView { activityView }

    func startAnimatingView() {
        activityView.isHidden = false
        activityView.activity.startAnimating()
    }

    func stopAnimatingView() {
        activityView.activity.stopAnimating()
        activityView.isHidden = true
    }
}

@MainActor
final class ImageIndicator: Indicator {
    private let imageView: AnimatedImageView

    /// Nil if `data` is not an image.
    init?(_ data: Data, surface: any ViewSurface) {
        guard let image = Image(data: data) else { return nil }
        imageView = AnimatedImageView(surface: surface)
        imageView.isHidden = true
        imageView.autoPlayAnimatedImage = false
        imageView.image = image
    }

    var view: IndicatorView { imageView }

    func startAnimatingView() {
        imageView.isHidden = false
        imageView.startAnimating()
    }

    func stopAnimatingView() {
        imageView.stopAnimating()
        imageView.isHidden = true
    }
}
