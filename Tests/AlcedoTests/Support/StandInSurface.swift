import Alcedo
import Foundation

/// What a toolkit would draw, written down.
@MainActor
final class StandInSurface: ActivitySurface {
    struct Running {
        let transition: ViewTransition
        let completion: @MainActor (Bool) -> Void
    }

    var size = CGSize.zero
    var scale: CGFloat = 1
    var isVisible = true {
        didSet { visibilityChanged?(isVisible) }
    }
    var visibilityChanged: (@MainActor (Bool) -> Void)?

    private(set) var shown: [Image?] = []
    private(set) var background: Image?
    private(set) var isHidden = false
    private(set) var isTurning = false
    private(set) var children: [StandInSurface] = []
    private(set) var transitions: [Running] = []

    /// Whether transitions end only when a test says so.
    var holdsTransitions = false

    func show(_ image: KFCrossPlatformImage?) { shown.append(image) }
    func showBackground(_ image: KFCrossPlatformImage?) { background = image }
    func setHidden(_ isHidden: Bool) { self.isHidden = isHidden }
    func startAnimating() { isTurning = true }
    func stopAnimating() { isTurning = false }
    func makeImageSurface() -> any ViewSurface { StandInSurface() }
    func makeActivitySurface() -> any ActivitySurface { StandInSurface() }

    func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    ) {
        transitions.append(Running(transition: transition, completion: completion))
        changes()
        if !holdsTransitions { completion(true) }
    }

    func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {
        if let child = child as? StandInSurface { children.append(child) }
    }

    func remove(_ child: any ViewSurface) { children.removeAll { $0 === child } }
}
