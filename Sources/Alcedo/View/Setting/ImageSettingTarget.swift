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
