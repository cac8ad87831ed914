public import Foundation

/// Something in a window, whatever toolkit draws it.
///
/// The toolkit's side of it is its ``surface``; what a view does with its image is the same for all toolkits.
@preconcurrency @MainActor
open class KFCrossPlatformView {
    /// What a toolkit draws for the view.
    public let surface: any ViewSurface

    /// Makes a view of what a toolkit draws; the surface belongs to this view alone.
    public init(surface: any ViewSurface) {
        self.surface = surface
        surface.visibilityChanged = { [weak self] isVisible in self?.visibilityDidChange(isVisible) }
    }

    /// Whether the view is left out of what is drawn; false by default.
    open var isHidden = false {
        didSet { surface.setHidden(isHidden) }
    }

    /// The view's size in points, from an origin of zero; of zero size before it is laid out.
    ///
    /// Thumbnails are made for it with `DownsamplingImageProcessor(size: view.bounds.size)` and `.scaleFactor`.
    public var bounds: CGRect { CGRect(origin: .zero, size: surface.size) }

    /// The view's place in its parent, in points; of zero size before it is laid out.
    public var frame: CGRect { surface.frame }

    /// How the picture is fitted to the view; ``ContentMode/scaleAspectFit`` by default.
    open var contentMode = ContentMode.scaleAspectFit {
        didSet { surface.setContentMode(contentMode) }
    }

    /// How a picture is fitted to a view of another shape.
    public enum ContentMode: Sendable {
        /// Stretched to the view's size.
        case scaleToFill
        /// As large as fits inside the view, in its middle.
        case scaleAspectFit
        /// As small as covers the view, in its middle; what exceeds the view is cut off.
        case scaleAspectFill
    }

    /// Told when the view comes into a window that is drawn, or leaves it.
    open func visibilityDidChange(_ isVisible: Bool) {}
}

/// A view whose work a toolkit does; see ``KFCrossPlatformView``.
///
/// Written once for each toolkit. Everything is called on the main thread.
@MainActor
public protocol ViewSurface: AnyObject {
    /// Width and height in points; zero before the view is laid out.
    var size: CGSize { get }

    /// Place in the parent, in points; by default at the origin.
    var frame: CGRect { get }

    /// Pixels per point on the screen that the view is on; may be a fraction, such as 1.25.
    var scale: CGFloat { get }

    /// Whether the view is in a window that is drawn.
    var isVisible: Bool { get }

    /// To be called whenever ``isVisible`` has changed.
    var visibilityChanged: (@MainActor (Bool) -> Void)? { get set }

    /// Shows the first frame of an image, or nothing.
    func show(_ image: KFCrossPlatformImage?)

    /// Shows an image, or nothing, behind the other one, where the toolkit has views with a background.
    func showBackground(_ image: KFCrossPlatformImage?)

    /// Fits the picture to the view in another way; by default does nothing.
    func setContentMode(_ mode: KFCrossPlatformView.ContentMode)

    /// Leaves the view out of what is drawn, or not.
    func setHidden(_ isHidden: Bool)

    /// Draws the view on its way from its present state to that after `changes`, and then calls `completion`.
    ///
    /// `changes` is called at once. The completion is called exactly once, and told false if the transition was cut
    /// short, by another one or because the view is not to be seen. It may start another transition: one that cuts this
    /// one short calls it after its own `changes`, so that what it starts stays.
    func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    )

    /// Puts another view of the same toolkit in front of this one, in its middle but for an offset in points.
    func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint)

    /// Takes a view away that ``add(_:size:centerOffset:)`` put there.
    func remove(_ child: any ViewSurface)

    /// A new surface that shows images, for an indicator.
    func makeImageSurface() -> any ViewSurface

    /// A new surface of what the toolkit shows while something is going on.
    func makeActivitySurface() -> any ActivitySurface
}

extension ViewSurface {
    /// At the origin.
    public var frame: CGRect { CGRect(origin: .zero, size: size) }

    /// Nothing: for a toolkit that fits pictures in one way only.
    public func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {}
}

/// What a toolkit shows while something is going on.
@MainActor
public protocol ActivitySurface: ViewSurface {
    /// Begins to turn.
    func startAnimating()

    /// Stops turning.
    func stopAnimating()
}
