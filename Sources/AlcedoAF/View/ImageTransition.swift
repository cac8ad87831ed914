public import Alcedo
public import Foundation

/// Style and timing of a transition.
public typealias AnimationOptions = KFCrossPlatformView.AnimationOptions

extension ImageView {
    /// The transition from a view's present content to an image; durations are in seconds.
    public enum ImageTransition: Sendable {
        case noTransition
        case crossDissolve(TimeInterval)
        /// Curls down; drawn as a rotation about the horizontal axis, from the top.
        case curlDown(TimeInterval)
        /// Curls up; drawn as a rotation about the horizontal axis, from the bottom.
        case curlUp(TimeInterval)
        /// The view rotates about its horizontal axis, from the bottom.
        case flipFromBottom(TimeInterval)
        /// The view rotates about its vertical axis, from the left.
        case flipFromLeft(TimeInterval)
        /// The view rotates about its vertical axis, from the right.
        case flipFromRight(TimeInterval)
        /// The view rotates about its horizontal axis, from the top.
        case flipFromTop(TimeInterval)
        /// A transition between the view's states before and after `animations`, in the style of the options.
        ///
        /// The completion receives whether the transition finished.
        case custom(
            duration: TimeInterval,
            animationOptions: AnimationOptions,
            animations: @MainActor @Sendable (ImageView, Image) -> Void,
            completion: (@MainActor @Sendable (Bool) -> Void)?
        )

        /// The duration in seconds; 0 without a transition.
        public var duration: TimeInterval {
            switch self {
            case .noTransition: 0
            case .crossDissolve(let duration), .curlDown(let duration), .curlUp(let duration),
                .flipFromBottom(let duration), .flipFromLeft(let duration), .flipFromRight(let duration),
                .flipFromTop(let duration), .custom(let duration, _, _, _):
                duration
            }
        }

        /// UIKit's options for the transition.
        public var animationOptions: AnimationOptions {
            switch self {
            case .noTransition: []
            case .crossDissolve: .transitionCrossDissolve
            case .curlDown: .transitionCurlDown
            case .curlUp: .transitionCurlUp
            case .flipFromBottom: .transitionFlipFromBottom
            case .flipFromLeft: .transitionFlipFromLeft
            case .flipFromRight: .transitionFlipFromRight
            case .flipFromTop: .transitionFlipFromTop
            case .custom(_, let options, _, _): options
            }
        }

        /// Changes the view; sets its image by default.
        public var animations: @MainActor @Sendable (ImageView, Image) -> Void {
            if case .custom(_, _, let animations, _) = self { return animations }
            return { $0.image = $1 }
        }

        /// Called with whether the transition finished; nil for none.
        public var completion: (@MainActor @Sendable (Bool) -> Void)? {
            if case .custom(_, _, _, let completion) = self { completion } else { nil }
        }
    }
}
