public import Foundation

/// A view, independent of the toolkit.
///
/// Its ``surface`` implements the drawing in a toolkit; the logic of views and images is the same for all toolkits.
@preconcurrency @MainActor
open class KFCrossPlatformView {
    public let surface: any ViewSurface

    /// Creates a view on a toolkit's surface; a surface must not be shared by views.
    public init(surface: any ViewSurface) {
        self.surface = surface
        surface.visibilityChanged = { [weak self] isVisible in self?.visibilityDidChange(isVisible) }
    }

    /// Whether the view is hidden; false by default.
    open var isHidden = false {
        didSet { surface.setHidden(isHidden) }
    }

    /// The view's size in points, with an origin of zero; zero before layout.
    ///
    /// For thumbnails, use `DownsamplingImageProcessor(size: view.bounds.size)` with `.scaleFactor`; before layout it
    /// keeps all pixels.
    public var bounds: CGRect { CGRect(origin: .zero, size: surface.size) }

    /// The view's rectangle in its parent, in points; of zero size before layout.
    public var frame: CGRect { surface.frame }

    /// How the image is fitted to the view; ``ContentMode/scaleAspectFit`` by default.
    open var contentMode = ContentMode.scaleAspectFit {
        didSet { surface.setContentMode(contentMode) }
    }

    /// How an image is fitted to a view with another aspect ratio.
    public enum ContentMode: Sendable {
        /// Stretched to the view's size.
        case scaleToFill
        /// Scaled to the largest size that fits inside the view, centred.
        case scaleAspectFit
        /// Scaled to the smallest size that covers the view, centred and clipped to the view.
        case scaleAspectFill
    }

    /// What a screen reader says of the view, such as what its image shows; nil, the default, for nothing.
    open var accessibilityLabel: String? {
        didSet { surface.setAccessibilityLabel(accessibilityLabel) }
    }

    open func visibilityDidChange(_ isVisible: Bool) {}
}

/// The implementation of a view in a toolkit; see ``KFCrossPlatformView``.
///
/// Each toolkit has one implementation. All members are used on the main thread.
@MainActor
public protocol ViewSurface: AnyObject {
    /// Width and height in points; zero before layout.
    var size: CGSize { get }

    /// The rectangle in the parent, in points; by default at the origin.
    var frame: CGRect { get }

    /// Pixels per point of the view's screen; may be fractional, such as 1.25.
    var scale: CGFloat { get }

    /// Whether the view is in a visible window.
    var isVisible: Bool { get }

    /// The surface calls it whenever ``isVisible`` has changed.
    var visibilityChanged: (@MainActor (Bool) -> Void)? { get set }

    /// Shows the first frame of an image; nothing for nil.
    func show(_ image: KFCrossPlatformImage?)

    /// Shows an image, or nothing for nil, behind the other one, if the toolkit supports backgrounds.
    func showBackground(_ image: KFCrossPlatformImage?)

    /// Sets how the image is fitted to the view; does nothing by default.
    func setContentMode(_ mode: KFCrossPlatformView.ContentMode)

    /// Sets whether the view may be larger or smaller than its image, as by default; does nothing by default.
    func setResizable(_ isResizable: Bool)

    /// Sets what a screen reader says of the view, nil for nothing; does nothing by default.
    func setAccessibilityLabel(_ label: String?)

    func setHidden(_ isHidden: Bool)

    /// Draws a transition from the view's present state to the state after `changes`, then calls `completion`.
    ///
    /// `changes` is called at once. The completion is called exactly once, with false if another transition
    /// interrupts this one or the view is invisible. The completion may start another transition, so an
    /// interrupting transition calls it after its own `changes`.
    func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    )

    /// Adds a view of the same toolkit in front of this one, at its centre plus an offset in points.
    func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint)

    /// Removes a view that ``add(_:size:centerOffset:)`` has added.
    func remove(_ child: any ViewSurface)

    func makeImageSurface() -> any ViewSurface

    func makeActivitySurface() -> any ActivitySurface
}

extension ViewSurface {
    public var frame: CGRect { CGRect(origin: .zero, size: size) }

    /// Does nothing; for a toolkit with a single content mode.
    public func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {}

    /// Does nothing; for a toolkit that does not size views by their images.
    public func setResizable(_ isResizable: Bool) {}

    /// Does nothing; for a toolkit without accessibility.
    public func setAccessibilityLabel(_ label: String?) {}
}

/// A toolkit's activity indicator.
@MainActor
public protocol ActivitySurface: ViewSurface {
    func startAnimating()
    func stopAnimating()
}
