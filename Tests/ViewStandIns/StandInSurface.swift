package import Alcedo
package import Foundation

/// What a toolkit would draw, written down.
@MainActor
package final class StandInSurface: ActivitySurface {
    package struct Running {
        package let transition: ViewTransition
        /// Ends it, unless it has ended already.
        package let completion: @MainActor (Bool) -> Void
    }

    package var size = CGSize.zero
    package var scale: CGFloat = 1
    package var isVisible = true {
        didSet { visibilityChanged?(isVisible) }
    }
    package var visibilityChanged: (@MainActor (Bool) -> Void)?

    package private(set) var shown: [Image?] = []
    package private(set) var background: Image?
    package private(set) var isHidden = false
    package private(set) var contentMode: KFCrossPlatformView.ContentMode?
    package private(set) var isTurning = false
    package private(set) var children: [StandInSurface] = []
    package private(set) var transitions: [Running] = []

    /// Whether transitions end only when a test says so.
    package var holdsTransitions = false

    package init() {}

    package func show(_ image: KFCrossPlatformImage?) { shown.append(image) }
    package func showBackground(_ image: KFCrossPlatformImage?) { background = image }
    package func setHidden(_ isHidden: Bool) { self.isHidden = isHidden }
    package func setContentMode(_ mode: KFCrossPlatformView.ContentMode) { contentMode = mode }
    package func startAnimating() { isTurning = true }
    package func stopAnimating() { isTurning = false }
    package func makeImageSurface() -> any ViewSurface { StandInSurface() }
    package func makeActivitySurface() -> any ActivitySurface { StandInSurface() }

    package func transition(
        _ transition: ViewTransition,
        changes: () -> Void,
        completion: @escaping @MainActor (Bool) -> Void
    ) {
        var completion: (@MainActor (Bool) -> Void)? = completion
        let interrupted = transitions.last
        let running = Running(transition: transition) { completion.take()?($0) }
        transitions.append(running)
        changes()
        interrupted?.completion(false)
        if !holdsTransitions { running.completion(true) }
    }

    package func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {
        if let child = child as? StandInSurface { children.append(child) }
    }

    package func remove(_ child: any ViewSurface) { children.removeAll { $0 === child } }
}
