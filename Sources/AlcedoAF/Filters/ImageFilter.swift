public import Foundation

/// A transformation of an image.
public protocol ImageFilter: Sendable {
    /// Applies the filter; called on worker threads, also concurrently.
    var filter: (Image) -> Image { get }

    /// Identifies the filter and its parameters; part of cache keys, so filters with different results must differ.
    var identifier: String { get }
}

extension ImageFilter {
    /// The type's name, without parameters.
    public var identifier: String { "\(type(of: self))" }
}

/// A filter with a size.
public protocol Sizable {
    /// The size in points.
    var size: CGSize { get }
}

/// A filter with a corner radius.
public protocol Roundable {
    /// The radius in points.
    var radius: CGFloat { get }
}

extension ImageFilter where Self: Sizable {
    /// The type's name and the size: `ScaledToSizeFilter-size:(200x100)`.
    public var identifier: String {
        "\(type(of: self))-size:(\(identifierText(size.width))x\(identifierText(size.height)))"
    }
}

extension ImageFilter where Self: Roundable {
    /// The type's name and the radius: `RoundedCornersFilter-radius:(20)`.
    public var identifier: String { "\(type(of: self))-radius:(\(identifierText(radius)))" }
}

/// The format of numbers in identifiers: whole numbers without a fraction, others in full precision.
func identifierText(_ number: CGFloat) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(Double(number))"
}
