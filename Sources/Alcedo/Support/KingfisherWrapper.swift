/// The type of `.kf`: Alcedo's methods for a type of another module.
///
/// Safe because it is a constant reference to, or copy of, `base`; each extension is responsible for its methods.
public struct KingfisherWrapper<Base>: @unchecked Sendable {
    /// The wrapped value.
    public let base: Base

    /// Wraps `base`.
    public init(_ base: Base) {
        self.base = base
    }
}

/// A class with a `kf` property.
public protocol KingfisherCompatible: AnyObject {}

/// A value type with a `kf` property.
public protocol KingfisherCompatibleValue {}

extension KingfisherCompatible {
    /// Alcedo's methods on this object.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// Alcedo's methods on this value.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}
