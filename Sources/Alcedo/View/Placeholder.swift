import Foundation

/// Content that a view shows while it loads an image.
public protocol Placeholder {
    /// Adds the placeholder to a view.
    @MainActor func add(to imageView: KFCrossPlatformImageView)

    /// Removes the placeholder from a view.
    @MainActor func remove(from imageView: KFCrossPlatformImageView)
}

/// An image as a placeholder is set as the view's image.
extension KFCrossPlatformImage: Placeholder {
    /// Sets the view's image to this image.
    public func add(to imageView: KFCrossPlatformImageView) { imageView.image = self }

    /// Sets the view's image to nil.
    public func remove(from imageView: KFCrossPlatformImageView) { imageView.image = nil }

    /// Sets the image of `base` to this image.
    @MainActor
    public func add(to base: any KingfisherHasImageComponent) {
        base.setImage(self, options: KingfisherParsedOptionsInfo(nil))
    }

    /// Sets the image of `base` to nil.
    @MainActor
    public func remove(from base: any KingfisherHasImageComponent) {
        base.setImage(nil, options: KingfisherParsedOptionsInfo(nil))
    }
}

extension Placeholder where Self: KFCrossPlatformView {
    /// Adds this view in front of `imageView`, at its size.
    @MainActor
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.surface.add(surface, size: .full, centerOffset: .zero)
    }

    /// Removes this view from `imageView`.
    @MainActor
    public func remove(from imageView: KFCrossPlatformImageView) { imageView.surface.remove(surface) }
}
