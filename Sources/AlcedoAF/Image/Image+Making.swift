import Alcedo
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// An image of `data`; nil if it is not an image; may be called on any thread.
    public static func threadSafeImage(with data: Data) -> Image? { Image(data: data) }

    /// An image of `data` with `scale` pixels per point; nil if it is not an image.
    public static func threadSafeImage(with data: Data, scale: CGFloat) -> Image? {
        Image(data: data, scale: scale)
    }
}
