import AlcedoPixels
package import Foundation

/// The pixels that a view needs of an image.
package enum DrawnSize {
    /// As many as are drawn.
    case pixels(PixelSize)

    /// All, as nothing says how many are drawn.
    case all

    /// None yet: the surface decodes the image once it draws it.
    case later
}

/// A surface that decodes images itself, at the size at which it draws them.
///
/// Toolkits reduce larger bitmaps by skipping pixels, which turns fine detail into other detail.
@MainActor
package protocol DrawingSurface: ViewSurface {
    /// Calls `body` with the size in pixels at which an image will be drawn, at once if the surface has a size.
    ///
    /// Otherwise it makes room for the image, and calls `body` after the layout, with nil if there is none: the surface is
    /// invisible, or has no room.
    func measure(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void)

    /// As ``measure(_:then:)``, for the image behind that of a button.
    func measureBackground(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void)

    /// Shows a frame of an animation, which has the size at which it is drawn.
    func show(frame: Image)

    /// The surface calls it while it draws for the first time at another size, scale or content mode.
    var drawnSizeChanged: (@MainActor () -> Void)? { get set }

    /// Whether the desktop's settings allow animations.
    var allowsAnimations: Bool { get }

    /// The surface calls it after a change of ``allowsAnimations`` while it is visible.
    var animationsSettingChanged: (@MainActor () -> Void)? { get set }
}

extension DrawingSurface {
    package func measureBackground(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void) {
        measure(image, then: body)
    }
}

extension ViewSurface {
    /// Shows a frame of an animation.
    func show(frameOrImage image: Image) {
        if let surface = self as? any DrawingSurface { surface.show(frame: image) } else { show(image) }
    }
}

extension KFCrossPlatformView {
    /// The size in pixels at which an image is drawn in the view; nil before layout.
    package func drawnSize(of image: Image) -> PixelSize? {
        contentMode.drawnSize(of: image.size, in: surface.size, scale: surface.scale)
    }
}

extension KFCrossPlatformView.ContentMode {
    /// The size in pixels at which an image is drawn in a view, both in points; nil if one of them is empty.
    package func drawnSize(of image: CGSize, in view: CGSize, scale: CGFloat) -> PixelSize? {
        guard image.width > 0, image.height > 0 else { return nil }
        let (widthFactor, heightFactor) = (view.width / image.width, view.height / image.height)
        let byWidth = CGSize(width: view.width, height: image.height * widthFactor)
        let byHeight = CGSize(width: image.width * heightFactor, height: view.height)
        let drawn =
            switch self {
            case .scaleToFill: view
            case .scaleAspectFit: widthFactor < heightFactor ? byWidth : byHeight
            case .scaleAspectFill: widthFactor < heightFactor ? byHeight : byWidth
            }
        return PixelSize(drawing: drawn, in: view, scale: scale)
    }
}

extension PixelSize {
    /// The pixels of what is drawn in a view, both in points; nil if a side is 0 or less, or too large for an image.
    ///
    /// A side that ends within the view is rounded, so that the image keeps its shape; one that does not is rounded up, to leave
    /// no pixel of the view's empty.
    package init?(drawing points: CGSize, in view: CGSize, scale: CGFloat) {
        func pixels(_ side: CGFloat, _ limit: CGFloat) -> CGFloat {
            // The tolerance keeps rounding errors from adding a pixel.
            side < limit - 0.001 ? (side * scale).rounded() : (side * scale - 0.001).rounded(.up)
        }
        let (width, height) = (pixels(points.width, view.width), pixels(points.height, view.height))
        guard points.width > 0, points.height > 0, scale > 0, max(width, height) <= CGFloat(Int32.max) else {
            return nil
        }
        self.init(width: max(1, Int(width)), height: max(1, Int(height)))
    }
}
