/// The namespace `.af`: AlamofireImage's methods on a type.
public struct AlamofireExtension<ExtendedType> {
    public let type: ExtendedType

    public init(_ type: ExtendedType) {
        self.type = type
    }
}

/// A type with the namespace `af`.
public protocol AlamofireExtended {
    /// The type that `af` wraps: the type itself.
    associatedtype ExtendedType

    /// AlamofireImage's static methods for this type.
    static var af: AlamofireExtension<ExtendedType>.Type { get }

    /// AlamofireImage's methods on this value.
    var af: AlamofireExtension<ExtendedType> { get }
}

extension AlamofireExtended {
    public static var af: AlamofireExtension<Self>.Type { AlamofireExtension<Self>.self }

    public var af: AlamofireExtension<Self> { AlamofireExtension(self) }
}
