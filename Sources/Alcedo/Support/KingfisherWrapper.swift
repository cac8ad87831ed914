/// The type of `.kf`: Alcedo's methods for a type of another module.
///
/// Safe because it is a constant reference to, or copy of, `base`; each extension is responsible for its methods.
public struct KingfisherWrapper<Base>: @unchecked Sendable {
    public let base: Base

    public init(_ base: Base) {
        self.base = base
    }
}

/// A class with a `kf` property.
public protocol KingfisherCompatible: AnyObject {}

/// A value type with a `kf` property.
public protocol KingfisherCompatibleValue {}

extension KingfisherCompatible {
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}
