public import Foundation

/// Makes an image of another one.
public protocol ImageFilter: Sendable {
    /// What it does; called on a worker thread, and on several at once.
    var filter: (Image) -> Image { get }

    /// Names what it does, with its parameters: part of cache keys, so two that make other pixels must differ.
    var identifier: String { get }
}

extension ImageFilter {
    /// The type's name.
    public var identifier: String { "\(type(of: self))" }
}

/// Something with a size.
public protocol Sizable {
    /// In points.
    var size: CGSize { get }
}

/// Something with round corners.
public protocol Roundable {
    /// In points.
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

/// A number as identifiers show it: whole numbers without a fraction, others in full.
func identifierText(_ number: CGFloat) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(Double(number))"
}
