public import Foundation

/// The transition from a view's present content to a loaded image; durations are in seconds.
public enum ImageTransition: Sendable {
    case none
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
        // The numbers are UIKit's.
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Has no effect: input is never blocked.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        public static let curveEaseInOut: AnimationOptions = []
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
        public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
        /// Curls up; drawn as a rotation about the horizontal axis, from the bottom.
        public static let transitionCurlUp = AnimationOptions(rawValue: 3 << 20)
        /// Curls down; drawn as a rotation about the horizontal axis, from the top.
        public static let transitionCurlDown = AnimationOptions(rawValue: 4 << 20)
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        public static let transitionFlipFromTop = AnimationOptions(rawValue: 6 << 20)
        public static let transitionFlipFromBottom = AnimationOptions(rawValue: 7 << 20)
    }
}

/// A transition that a toolkit draws between two states of a view.
public struct ViewTransition: Hashable, Sendable {
    public enum Style: Sendable {
        case none
        case crossDissolve
        case flipFromLeft
        case flipFromRight
        case flipFromTop
        case flipFromBottom
    }

    public enum Curve: Sendable {
        case easeInOut
        case easeIn
        case easeOut
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

    public var style: Style
    public var curve: Curve

    /// The duration in seconds.
    public var duration: TimeInterval

    public init(_ style: Style, duration: TimeInterval, curve: Curve = .easeInOut) {
        self.style = style
        self.duration = duration
        self.curve = curve
    }

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
