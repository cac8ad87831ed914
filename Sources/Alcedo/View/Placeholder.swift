import Foundation

/// Content that a view shows while it loads an image.
public protocol Placeholder {
    @MainActor func add(to imageView: KFCrossPlatformImageView)
    @MainActor func remove(from imageView: KFCrossPlatformImageView)
}

extension KFCrossPlatformImage: Placeholder {
    public func add(to imageView: KFCrossPlatformImageView) { imageView.image = self }

    public func remove(from imageView: KFCrossPlatformImageView) { imageView.image = nil }

    @MainActor
    public func add(to base: any KingfisherHasImageComponent) {
        base.setImage(self, options: KingfisherParsedOptionsInfo(nil))
    }

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

    @MainActor
    public func remove(from imageView: KFCrossPlatformImageView) { imageView.surface.remove(surface) }
}
