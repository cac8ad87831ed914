public import Alcedo
public import Foundation

/// What a toolkit would draw, written down.
@MainActor
public final class StandInSurface: ActivitySurface {
    public struct Running {
        public let transition: ViewTransition
        public let completion: @MainActor (Bool) -> Void
    }

    public var size = CGSize.zero
    public var scale: CGFloat = 1
    public var isVisible = true {
        didSet { visibilityChanged?(isVisible) }
    }
    public var visibilityChanged: (@MainActor (Bool) -> Void)?

    public private(set) var shown: [Image?] = []
    public private(set) var background: Image?
    public private(set) var isHidden = false
    public private(set) var isTurning = false
    public private(set) var children: [StandInSurface] = []
    public private(set) var transitions: [Running] = []

    /// Whether transitions end only when a test says so.
    public var holdsTransitions = false

    public init() {}

    public func show(_ image: KFCrossPlatformImage?) { shown.append(image) }
    public func showBackground(_ image: KFCrossPlatformImage?) { background = image }
    public func setHidden(_ isHidden: Bool) { self.isHidden = isHidden }
    public func startAnimating() { isTurning = true }
    public func stopAnimating() { isTurning = false }
    public func makeImageSurface() -> any ViewSurface { StandInSurface() }
    public func makeActivitySurface() -> any ActivitySurface { StandInSurface() }

    public func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    ) {
        transitions.append(Running(transition: transition, completion: completion))
        changes()
        if !holdsTransitions { completion(true) }
    }

    public func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {
        if let child = child as? StandInSurface { children.append(child) }
    }

    public func remove(_ child: any ViewSurface) { children.removeAll { $0 === child } }
}
