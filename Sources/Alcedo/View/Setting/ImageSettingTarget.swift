import AlcedoPixels
import Foundation

/// One image of a view, as a target of `kf.setImage`.
@MainActor
protocol ImageSettingTarget {
    var state: ImageSettingState { get }
    var preloadsAnimation: Bool { get }

    /// Whether the target draws an image as soon as it is set, so it must be decoded before.
    var isScreen: Bool { get }

    /// The display size in pixels; nil if unknown.
    var pixelSize: PixelSize? { get }

    /// Calls `body` with the pixels that the target needs of an image, once that is known.
    func measure(_ image: KFCrossPlatformImage, then body: @escaping @MainActor (DrawnSize) -> Void)

    /// The size in pixels at which the target draws an image; nil if that is unknown by now.
    func drawnSize(of image: KFCrossPlatformImage) -> PixelSize?

    /// The size in pixels that the option `downsampleToViewSize` reduces images to; nil if unknown.
    var viewSize: PixelSize? { get }

    /// Whether the target shows neither an image nor a placeholder that could be kept.
    var isEmpty: Bool { get }

    func image() -> KFCrossPlatformImage?
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// Removes the present placeholder and shows `placeholder`; nothing for nil.
    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo)

    /// Replaces the present content with a loaded image, with a transition, then calls `completion`.
    func replace(
        with image: KFCrossPlatformImage,
        transition: ImageTransition,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    )
}

extension ImageSettingTarget {
    var pixelSize: PixelSize? { nil }

    var viewSize: PixelSize? { pixelSize }

    func drawnSize(of image: KFCrossPlatformImage) -> PixelSize? { nil }

    func measure(_ image: KFCrossPlatformImage, then body: @escaping @MainActor (DrawnSize) -> Void) {
        body(.all)
    }

    var isEmpty: Bool { image() == nil }

    func replace(
        with image: KFCrossPlatformImage,
        transition: ImageTransition,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        state.placeholder = nil
        setImage(image, options: options)
        completion()
    }
}

extension ViewSurface {
    /// Calls `body` with the pixels that a view needs of an image, which it draws at `size`, nil before layout.
    fileprivate func measure(
        _ image: KFCrossPlatformImage, drawnAt size: PixelSize?,
        then body: @escaping @MainActor (DrawnSize) -> Void
    ) {
        if let size { return body(.pixels(size)) }
        guard let surface = self as? any DrawingSurface else { return body(.all) }
        surface.measure(image) { size in body(size.map { .pixels($0) } ?? .later) }
    }
}

extension KFCrossPlatformView {
    /// The size in pixels; nil before layout.
    var pixelSize: PixelSize? { PixelSize(covering: surface.size, scale: surface.scale) }
}

/// A custom class with an image.
struct SettableTarget<Base: KingfisherImageSettable>: ImageSettingTarget {
    let base: Base

    var state: ImageSettingState { ImageSettingState.ofOtherObjects[base] }
    var preloadsAnimation: Bool { false }
    var isScreen: Bool { false }

    /// That of a view; other objects have none.
    var viewSize: PixelSize? { (base as? KFCrossPlatformView)?.pixelSize }

    func image() -> KFCrossPlatformImage? { base.getImage() }

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        base.setImage(image, options: options)
    }

    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        state.placeholder = placeholder
        base.setImage(placeholder as? KFCrossPlatformImage, options: options)
    }
}

struct ImageViewTarget: ImageSettingTarget {
    let base: ImageView

    var state: ImageSettingState { base.setting }
    var preloadsAnimation: Bool { base.shouldPreloadAllAnimation() }
    var isScreen: Bool { true }
    var pixelSize: PixelSize? { base.pixelSize }

    func drawnSize(of image: KFCrossPlatformImage) -> PixelSize? { base.drawnSize(of: image) }

    func measure(_ image: KFCrossPlatformImage, then body: @escaping @MainActor (DrawnSize) -> Void) {
        base.surface.measure(image, drawnAt: base.drawnSize(of: image), then: body)
    }

    /// False for an image view without an image but with a placeholder view in front.
    var isEmpty: Bool { base.image == nil && state.placeholder == nil }

    func image() -> KFCrossPlatformImage? { base.image }

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        base.image = image
    }

    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        state.placeholder?.remove(from: base)
        state.placeholder = placeholder
        if let placeholder { placeholder.add(to: base) } else { base.image = nil }
    }

    func replace(
        with image: KFCrossPlatformImage,
        transition: ImageTransition,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        func set() {
            // A placeholder that is an image is replaced, because removing it would cause a flash.
            if let placeholder = state.placeholder, !(placeholder is KFCrossPlatformImage) {
                placeholder.remove(from: base)
            }
            state.placeholder = nil
            guard case .custom(_, _, let animations, _) = transition else {
                base.image = image
                return
            }
            animations?(base, image)
        }
        guard let viewTransition = transition.viewTransition else {
            set()
            return completion()
        }
        base.surface.transition(viewTransition, changes: set) { hasFinished in
            if case .custom(_, _, _, let transitionCompletion) = transition {
                transitionCompletion?(hasFinished)
            }
            completion()
        }
    }
}
