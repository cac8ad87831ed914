public import Foundation

/// How a view goes over from what it shows to a loaded image; durations are in seconds.
public enum ImageTransition: Sendable {
    /// At once.
    case none
    /// The image fades in.
    case fade(TimeInterval)
    /// The view turns about its vertical axis, from the left.
    case flipFromLeft(TimeInterval)
    /// The view turns about its vertical axis, from the right.
    case flipFromRight(TimeInterval)
    /// The view turns about its horizontal axis, from the top.
    case flipFromTop(TimeInterval)
    /// The view turns about its horizontal axis, from the bottom.
    case flipFromBottom(TimeInterval)
    /// The view's state before `animations` goes over into that after it, in a way that `options` say.
    ///
    /// Without `animations`, the image is not set. The completion is told whether the transition came to its end.
    case custom(
        duration: TimeInterval,
        options: KFCrossPlatformView.AnimationOptions,
        animations: (@Sendable @MainActor (ImageView, KFCrossPlatformImage) -> Void)?,
        completion: (@Sendable (Bool) -> Void)?
    )
}

extension KFCrossPlatformView {
    /// How a view goes over from one state to the next, where Kingfisher's API names UIKit's type.
    public struct AnimationOptions: OptionSet, Sendable {
        /// UIKit's numbers.
        public let rawValue: UInt

        /// Makes options of UIKit's numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Input is not blocked, which it never is.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// Slow at both ends.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slow at the beginning.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slow at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// At one speed.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        /// Turns about the vertical axis, from the left.
        public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
        /// Turns about the vertical axis, from the right.
        public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
        /// Turns a page over upwards, which is drawn as a turn about the horizontal axis from the bottom.
        public static let transitionCurlUp = AnimationOptions(rawValue: 3 << 20)
        /// Turns a page over downwards, which is drawn as a turn about the horizontal axis from the top.
        public static let transitionCurlDown = AnimationOptions(rawValue: 4 << 20)
        /// Fades from one state into the other.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        /// Turns about the horizontal axis, from the top.
        public static let transitionFlipFromTop = AnimationOptions(rawValue: 6 << 20)
        /// Turns about the horizontal axis, from the bottom.
        public static let transitionFlipFromBottom = AnimationOptions(rawValue: 7 << 20)
    }
}

/// What a toolkit is to draw between two states of a view.
public struct ViewTransition: Hashable, Sendable {
    /// What is seen in between.
    public enum Style: Sendable {
        /// The new state at once, when the time is over.
        case none
        /// A mixture.
        case crossDissolve
        /// A turn from the left.
        case flipFromLeft
        /// A turn from the right.
        case flipFromRight
        /// A turn from the top.
        case flipFromTop
        /// A turn from the bottom.
        case flipFromBottom
    }

    /// How fast it goes when.
    public enum Curve: Sendable {
        /// Slow at both ends.
        case easeInOut
        /// Slow at the beginning.
        case easeIn
        /// Slow at the end.
        case easeOut
        /// At one speed.
        case linear

        /// How far a transition is when so much of its time is over, both from 0 to 1.
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

    /// What is seen in between.
    public var style: Style

    /// How fast it goes when.
    public var curve: Curve

    /// Seconds.
    public var duration: TimeInterval

    /// Describes a transition.
    public init(_ style: Style, duration: TimeInterval, curve: Curve = .easeInOut) {
        self.style = style
        self.duration = duration
        self.curve = curve
    }

    /// What UIKit's options say.
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
    /// What is to be drawn; nil for none.
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
