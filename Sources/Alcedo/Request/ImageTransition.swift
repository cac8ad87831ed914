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
}
