import Foundation

/// What a view shows until its image is there.
public protocol Placeholder {
    /// Comes into sight.
    @MainActor func add(to imageView: KFCrossPlatformImageView)

    /// Goes out of sight.
    @MainActor func remove(from imageView: KFCrossPlatformImageView)
}

/// An image is its view's image for so long.
extension KFCrossPlatformImage: Placeholder {
    /// Becomes the view's image.
    public func add(to imageView: KFCrossPlatformImageView) { imageView.image = self }

    /// Leaves the view without an image.
    public func remove(from imageView: KFCrossPlatformImageView) { imageView.image = nil }

    /// Becomes the image of `base`.
    @MainActor
    public func add(to base: any KingfisherHasImageComponent) {
        base.setImage(self, options: KingfisherParsedOptionsInfo(nil))
    }

    /// Leaves `base` without an image.
    @MainActor
    public func remove(from base: any KingfisherHasImageComponent) {
        base.setImage(nil, options: KingfisherParsedOptionsInfo(nil))
    }
}

extension Placeholder where Self: KFCrossPlatformView {
    /// Is put in front of the view, as large as it is.
    @MainActor
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.surface.add(surface, size: .full, centerOffset: .zero)
    }

    /// Is taken away again.
    @MainActor
    public func remove(from imageView: KFCrossPlatformImageView) { imageView.surface.remove(surface) }
}
