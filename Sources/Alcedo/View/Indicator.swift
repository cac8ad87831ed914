public import Foundation

/// A view of an ``Indicator``, where Kingfisher's API names the platform's view type.
public typealias IndicatorView = KFCrossPlatformView

/// What a view shows in front of itself while it loads an image.
public enum IndicatorType {
    /// Nothing.
    case none
    /// What the toolkit shows while something is going on.
    case activity
    /// An image, which may be animated.
    case image(imageData: Data)
    /// Something of one's own.
    case custom(indicator: any Indicator)
}

/// Shows that something is going on.
@MainActor
public protocol Indicator: Sendable {
    /// Comes into sight.
    @MainActor func startAnimatingView()

    /// Goes out of sight.
    @MainActor func stopAnimatingView()

    /// How far its middle is from that of the view that loads, in points; zero by default.
    @MainActor var centerOffset: CGPoint { get }

    /// What is put in front of the view that loads.
    @MainActor var view: IndicatorView { get }

    /// How large it is in front of `imageView`; by default its own size.
    @MainActor func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

/// How large an ``Indicator`` is.
public enum IndicatorSizeStrategy: Hashable, Sendable {
    /// Its own size.
    case intrinsicSize
    /// The size of the view that loads.
    case full
    /// A size in points.
    case size(CGSize)
}

extension Indicator {
    /// Zero.
    public var centerOffset: CGPoint { .zero }

    /// Its own size.
    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .intrinsicSize
    }
}

/// What the toolkit shows while something is going on.
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

/// An image, which may be animated.
@MainActor
final class ImageIndicator: Indicator {
    private let imageView: AnimatedImageView

    /// Nil for what is no image.
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
