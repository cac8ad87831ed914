public import Foundation

/// Something in a window, whatever toolkit draws it.
///
/// The toolkit's side of it is its ``surface``; what a view does with its image is the same for all toolkits.
@MainActor
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

    /// Pixels per point on the screen that the view is on.
    var scale: CGFloat { get }

    /// Whether the view is in a window that is drawn.
    var isVisible: Bool { get }

    /// To be called whenever ``isVisible`` has changed.
    var visibilityChanged: (@MainActor (Bool) -> Void)? { get set }

    /// Shows the first frame of an image, or nothing.
    func show(_ image: KFCrossPlatformImage?)

    /// Shows an image, or nothing, behind the other one, where the toolkit has views with a background.
    func showBackground(_ image: KFCrossPlatformImage?)

    /// Leaves the view out of what is drawn, or not.
    func setHidden(_ isHidden: Bool)

    /// Draws the view on its way from its present state to that after `changes`, and then calls `completion`.
    ///
    /// `changes` is called at once. The completion is told false if the transition was cut short, by another one or
    /// because the view is not to be seen.
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

/// What a toolkit shows while something is going on.
@MainActor
public protocol ActivitySurface: ViewSurface {
    /// Begins to turn.
    func startAnimating()

    /// Stops turning.
    func stopAnimating()
}
