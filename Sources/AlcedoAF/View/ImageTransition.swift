public import Alcedo
public import Foundation

/// How a view goes over from one state to the next.
public typealias AnimationOptions = KFCrossPlatformView.AnimationOptions

extension ImageView {
    /// How a view goes over from what it shows to an image; durations are in seconds.
    public enum ImageTransition: Sendable {
        /// At once.
        case noTransition
        /// The image fades in.
        case crossDissolve(TimeInterval)
        /// A page is turned over downwards; drawn as a turn about the horizontal axis from the top.
        case curlDown(TimeInterval)
        /// A page is turned over upwards; drawn as a turn about the horizontal axis from the bottom.
        case curlUp(TimeInterval)
        /// The view turns about its horizontal axis, from the bottom.
        case flipFromBottom(TimeInterval)
        /// The view turns about its vertical axis, from the left.
        case flipFromLeft(TimeInterval)
        /// The view turns about its vertical axis, from the right.
        case flipFromRight(TimeInterval)
        /// The view turns about its horizontal axis, from the top.
        case flipFromTop(TimeInterval)
        /// The view's state before `animations` goes over into that after it, in a way that the options say.
        ///
        /// The completion is told whether the transition came to its end.
        case custom(
            duration: TimeInterval,
            animationOptions: AnimationOptions,
            animations: @MainActor @Sendable (ImageView, Image) -> Void,
            completion: (@MainActor @Sendable (Bool) -> Void)?
        )

        /// Seconds; 0 without a transition.
        public var duration: TimeInterval {
            switch self {
            case .noTransition: 0
            case .crossDissolve(let duration), .curlDown(let duration), .curlUp(let duration),
                .flipFromBottom(let duration), .flipFromLeft(let duration), .flipFromRight(let duration),
                .flipFromTop(let duration), .custom(let duration, _, _, _):
                duration
            }
        }

        /// UIKit's options for it.
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

        /// What changes the view: by default it is given the image.
        public var animations: @MainActor @Sendable (ImageView, Image) -> Void {
            if case .custom(_, _, let animations, _) = self { return animations }
            return { $0.image = $1 }
        }

        /// Told whether the transition came to its end; nil for nobody.
        public var completion: (@MainActor @Sendable (Bool) -> Void)? {
            if case .custom(_, _, _, let completion) = self { completion } else { nil }
        }
    }
}
