public import Foundation

/// The transition from a view's present content to a loaded image; durations are in seconds.
public enum ImageTransition: Sendable {
    /// No transition.
    case none
    /// The image fades in.
    case fade(TimeInterval)
    /// The view rotates about its vertical axis, from the left.
    case flipFromLeft(TimeInterval)
    /// The view rotates about its vertical axis, from the right.
    case flipFromRight(TimeInterval)
    /// The view rotates about its horizontal axis, from the top.
    case flipFromTop(TimeInterval)
    /// The view rotates about its horizontal axis, from the bottom.
    case flipFromBottom(TimeInterval)
    /// A transition between the view's states before and after `animations`, in the style of `options`.
    ///
    /// Without `animations`, the image is not set. The completion receives whether the transition finished.
    case custom(
        duration: TimeInterval,
        options: KFCrossPlatformView.AnimationOptions,
        animations: (@Sendable @MainActor (ImageView, KFCrossPlatformImage) -> Void)?,
        completion: (@Sendable (Bool) -> Void)?
    )
}

extension KFCrossPlatformView {
    /// Style and timing of a transition; replaces UIKit's type in Kingfisher's API.
    public struct AnimationOptions: OptionSet, Sendable {
        /// UIKit's raw value.
        public let rawValue: UInt

        /// Makes options from UIKit's raw value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Has no effect: input is never blocked.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// Slow at the start and at the end.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slow at the start.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slow at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// At a constant speed.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        /// Rotates about the vertical axis, from the left.
        public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
        /// Rotates about the vertical axis, from the right.
        public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
        /// Curls up; drawn as a rotation about the horizontal axis, from the bottom.
        public static let transitionCurlUp = AnimationOptions(rawValue: 3 << 20)
        /// Curls down; drawn as a rotation about the horizontal axis, from the top.
        public static let transitionCurlDown = AnimationOptions(rawValue: 4 << 20)
        /// Cross-fades between the states.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        /// Rotates about the horizontal axis, from the top.
        public static let transitionFlipFromTop = AnimationOptions(rawValue: 6 << 20)
        /// Rotates about the horizontal axis, from the bottom.
        public static let transitionFlipFromBottom = AnimationOptions(rawValue: 7 << 20)
    }
}

/// A transition that a toolkit draws between two states of a view.
public struct ViewTransition: Hashable, Sendable {
    /// The style of a transition.
    public enum Style: Sendable {
        /// The new state, after the duration.
        case none
        /// A cross-fade.
        case crossDissolve
        /// A rotation from the left.
        case flipFromLeft
        /// A rotation from the right.
        case flipFromRight
        /// A rotation from the top.
        case flipFromTop
        /// A rotation from the bottom.
        case flipFromBottom
    }

    /// The timing curve of a transition.
    public enum Curve: Sendable {
        /// Slow at the start and at the end.
        case easeInOut
        /// Slow at the start.
        case easeIn
        /// Slow at the end.
        case easeOut
        /// At a constant speed.
        case linear

        /// The progress of a transition after a fraction of its duration, both from 0 to 1.
        public func progress(at time: Double) -> Double {
            let time = min(max(time, 0), 1)
            return switch self {
            case .easeInOut: time * time * (3 - 2 * time)
            case .easeIn: time * time
            case .easeOut: time * (2 - time)
            case .linear: time
            }
        }
    }

    /// The style.
    public var style: Style

    /// The timing curve.
    public var curve: Curve

    /// The duration in seconds.
    public var duration: TimeInterval

    /// Makes a transition.
    public init(_ style: Style, duration: TimeInterval, curve: Curve = .easeInOut) {
        self.style = style
        self.duration = duration
        self.curve = curve
    }

    /// The transition that UIKit's options describe.
    package init(_ options: KFCrossPlatformView.AnimationOptions, duration: TimeInterval) {
        let style: Style =
            switch options.rawValue >> 20 & 7 {
            case 1: .flipFromLeft
            case 2: .flipFromRight
            case 3: .flipFromBottom
            case 4: .flipFromTop
            case 5: .crossDissolve
            case 6: .flipFromTop
            case 7: .flipFromBottom
            default: .none
            }
        let curve: Curve =
            switch options.rawValue >> 16 & 3 {
            case 1: .easeIn
            case 2: .easeOut
            case 3: .linear
            default: .easeInOut
            }
        self.init(style, duration: duration, curve: curve)
    }
}

extension ImageTransition {
    /// The transition to draw; nil for none.
    var viewTransition: ViewTransition? {
        let transition: ViewTransition =
            switch self {
            case .none: ViewTransition(.none, duration: 0)
            case .fade(let duration): ViewTransition(.crossDissolve, duration: duration)
            case .flipFromLeft(let duration): ViewTransition(.flipFromLeft, duration: duration)
            case .flipFromRight(let duration): ViewTransition(.flipFromRight, duration: duration)
            case .flipFromTop(let duration): ViewTransition(.flipFromTop, duration: duration)
            case .flipFromBottom(let duration): ViewTransition(.flipFromBottom, duration: duration)
            case .custom(let duration, let options, _, _): ViewTransition(options, duration: duration)
            }
        if case .custom = self { return transition }
        return transition.duration > 0 ? transition : nil
    }
}
