public import Alcedo
public import Foundation

/// A view's surface without a display, which records what a toolkit would draw.
///
/// Create a view on it, such as `ImageView(surface: HeadlessSurface())`, load an image into the view, and examine the view
/// and the surface.
@MainActor
public final class HeadlessSurface: ActivitySurface {
    /// A transition that the view has requested.
    public struct Transition {
        public let transition: ViewTransition

        /// Ends it: true if it has been drawn, false if it was interrupted; does nothing once it has ended.
        public let completion: @MainActor (Bool) -> Void
    }

    /// The view's size in points; zero by default, as before layout.
    public var size = CGSize.zero

    /// Pixels per point; 1 by default.
    public var scale: CGFloat = 1

    /// Whether the view counts as visible; true by default.
    public var isVisible = true {
        didSet { visibilityChanged?(isVisible) }
    }

    public var visibilityChanged: (@MainActor (Bool) -> Void)?

    /// The images that the view has shown, in order; nil where it showed none.
    public private(set) var shown: [Image?] = []

    public private(set) var background: Image?
    public private(set) var isHidden = false

    /// The content mode; nil if it was not set.
    public private(set) var contentMode: KFCrossPlatformView.ContentMode?

    /// Whether the view may be larger or smaller than its image; nil if it was not set.
    public private(set) var isResizable: Bool?

    /// Whether the surface, as an activity indicator, is animating.
    public private(set) var isAnimating = false

    /// The surfaces in front of this one, such as an indicator's.
    public private(set) var children: [HeadlessSurface] = []

    /// The transitions so far, ended or not.
    public private(set) var transitions: [Transition] = []

    /// Whether a transition lasts until its ``Transition/completion`` is called; false by default: it ends at once.
    public var holdsTransitions = false

    public init() {}

    public func show(_ image: KFCrossPlatformImage?) { shown.append(image) }
    public func showBackground(_ image: KFCrossPlatformImage?) { background = image }
    public func setHidden(_ isHidden: Bool) { self.isHidden = isHidden }
    public func setContentMode(_ mode: KFCrossPlatformView.ContentMode) { contentMode = mode }
    public func setResizable(_ isResizable: Bool) { self.isResizable = isResizable }
    public func startAnimating() { isAnimating = true }
    public func stopAnimating() { isAnimating = false }
    public func makeImageSurface() -> any ViewSurface { HeadlessSurface() }
    public func makeActivitySurface() -> any ActivitySurface { HeadlessSurface() }

    /// Records the transition in ``transitions`` and interrupts the one before.
    public func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    ) {
        var completion: (@MainActor (Bool) -> Void)? = completion
        let interrupted = transitions.last
        let running = Transition(transition: transition) { completion.take()?($0) }
        transitions.append(running)
        changes()
        interrupted?.completion(false)
        if !holdsTransitions { running.completion(true) }
    }

    public func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {
        if let child = child as? HeadlessSurface { children.append(child) }
    }

    public func remove(_ child: any ViewSurface) { children.removeAll { $0 === child } }
}
