import Alcedo
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// An image of `data`, made on any thread; nil if it is none.
    public static func threadSafeImage(with data: Data) -> Image? { Image(data: data) }

    /// An image of `data` with `scale` pixels to a point; nil if it is none.
    public static func threadSafeImage(with data: Data, scale: CGFloat) -> Image? {
        Image(data: data, scale: scale)
    }
}
