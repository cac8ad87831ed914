/// What stands behind `.kf`: Alcedo's methods on a type of someone else's.
///
/// Safe because it is a constant reference to, or copy of, `base`; each extension answers for its own methods.
public struct KingfisherWrapper<Base>: @unchecked Sendable {
    /// The value that the methods work on.
    public let base: Base

    /// Wraps `base`.
    public init(_ base: Base) {
        self.base = base
    }
}

/// A class with a `kf`.
public protocol KingfisherCompatible: AnyObject {}

/// A value type with a `kf`.
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
