public import Alcedo

/// An image where AlamofireImage's API names one.
public typealias Image = Alcedo.Image

extension Image: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: Image {
    /// Whether the pixels have been decoded.
    ///
    /// Setting it to true decodes them, as ``inflate()`` does; setting it to false changes nothing: decoded
    /// pixels stay.
    public var isInflated: Bool {
        get { type.decodedBitmap != nil }
        nonmutating set { if newValue { inflate() } }
    }

    /// Decodes the pixels now and on this thread, unless that has been done; a damaged image stays as it is.
    public func inflate() {
        _ = try? type.bitmap()
    }

    /// Whether some pixel may be transparent.
    ///
    /// The headers of the image's bytes tell, if it has any; nothing is decoded.
    public var containsAlphaComponent: Bool {
        if let info = type.info { return info.hasAlpha }
        return (try? type.bitmap())?.alpha != .opaque
    }

    /// Whether no pixel can be transparent.
    public var isOpaque: Bool { !containsAlphaComponent }
}
