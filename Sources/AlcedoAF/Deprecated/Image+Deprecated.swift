public import Alcedo
public import Foundation

// The names of AlamofireImage 3.

extension Image {
    @available(*, deprecated, message: "Replaced by `image.af.threadSafeImage(with:)`.")
    public static func af_threadSafeImage(with data: Data) -> Image? { af.threadSafeImage(with: data) }

    @available(*, deprecated, message: "Replaced by `image.af.threadSafeImage(with:scale:)`.")
    public static func af_threadSafeImage(with data: Data, scale: CGFloat) -> Image? {
        af.threadSafeImage(with: data, scale: scale)
    }

    @available(*, deprecated, renamed: "af.isInflated")
    public var af_inflated: Bool {
        get { af.isInflated }
        set { af.isInflated = newValue }
    }

    @available(*, deprecated, renamed: "af.inflate()")
    public func af_inflate() { af.inflate() }

    @available(*, deprecated, renamed: "af.containsAlphaComponent")
    public var af_containsAlphaComponent: Bool { af.containsAlphaComponent }

    @available(*, deprecated, renamed: "af.isOpaque")
    public var af_isOpaque: Bool { af.isOpaque }

    @available(*, deprecated, renamed: "af.imageScaled(to:scale:)")
    public func af_imageScaled(to size: CGSize, scale: CGFloat? = nil) -> Image {
        af.imageScaled(to: size, scale: scale)
    }

    @available(*, deprecated, renamed: "af.imageAspectScaled(toFit:scale:)")
    public func af_imageAspectScaled(toFit size: CGSize, scale: CGFloat? = nil) -> Image {
        af.imageAspectScaled(toFit: size, scale: scale)
    }

    @available(*, deprecated, renamed: "af.imageAspectScaled(toFill:scale:)")
    public func af_imageAspectScaled(toFill size: CGSize, scale: CGFloat? = nil) -> Image {
        af.imageAspectScaled(toFill: size, scale: scale)
    }

    @available(*, deprecated, renamed: "af.imageRounded(withCornerRadius:divideRadiusByImageScale:)")
    public func af_imageRounded(
        withCornerRadius radius: CGFloat, divideRadiusByImageScale: Bool = false
    ) -> Image {
        af.imageRounded(withCornerRadius: radius, divideRadiusByImageScale: divideRadiusByImageScale)
    }

    @available(*, deprecated, renamed: "af.imageRoundedIntoCircle()")
    public func af_imageRoundedIntoCircle() -> Image { af.imageRoundedIntoCircle() }

    @available(*, deprecated, renamed: "af.imageFiltered(withCoreImageFilter:parameters:)")
    public func af_imageFiltered(
        withCoreImageFilter name: String, parameters: [String: Any]? = nil
    ) -> Image? {
        af.imageFiltered(withCoreImageFilter: name, parameters: parameters)
    }
}
