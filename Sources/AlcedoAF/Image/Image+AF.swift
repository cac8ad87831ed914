public import Alcedo
public import Foundation

/// The image type in AlamofireImage's API.
public typealias Image = Alcedo.Image

extension Image: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: Image {
    /// Whether the image is decoded.
    ///
    /// Setting it to true decodes the image, as ``inflate()`` does; setting it to false has no effect.
    public var isInflated: Bool {
        get { type.decodedBitmap != nil }
        nonmutating set { if newValue { inflate() } }
    }

    /// Decodes the image on the calling thread; does nothing if it is decoded already or damaged.
    public func inflate() {
        _ = try? type.bitmap()
    }

    /// Whether the image may contain transparent pixels.
    ///
    /// Reads the headers of encoded bytes, without decoding, if the image has them.
    public var containsAlphaComponent: Bool {
        if let info = type.info { return info.hasAlpha }
        return (try? type.bitmap())?.alpha != .opaque
    }

    /// Whether the image contains no transparent pixels.
    public var isOpaque: Bool { !containsAlphaComponent }
}

extension AlamofireExtension where ExtendedType: Image {
    /// An image of `data`; nil if it is not an image; may be called on any thread.
    public static func threadSafeImage(with data: Data) -> Image? { Image(data: data) }

    /// An image of `data` with `scale` pixels per point; nil if it is not an image.
    public static func threadSafeImage(with data: Data, scale: CGFloat) -> Image? {
        Image(data: data, scale: scale)
    }
}
