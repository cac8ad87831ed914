import AlcedoPixels
import Foundation

/// One image of a view, as the flow of `kf.setImage` sees it.
@MainActor
protocol ImageSettingTarget {
    var state: ImageSettingState { get }

    /// Whether all frames of an animation are to be decoded by the load.
    var preloadsAnimation: Bool { get }

    /// Whether pixels will be drawn as soon as there is an image.
    var isScreen: Bool { get }

    /// What is shown of an image at most, in pixels; nil where that is not known.
    var pixelSize: PixelSize? { get }

    /// Whether nothing is shown that could be kept.
    var isEmpty: Bool { get }

    func image() -> KFCrossPlatformImage?
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// Takes away what was shown in the image's place, and shows `placeholder`; without one, nothing.
    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo)

    /// Puts a loaded image in the place of what is shown, by a transition if there is to be one, and then calls `done`.
    func replace(
        with image: KFCrossPlatformImage,
        transition: ImageTransition,
        options: KingfisherParsedOptionsInfo,
        done: @escaping @MainActor () -> Void
    )
}

extension ImageSettingTarget {
    var pixelSize: PixelSize? { nil }

    var isEmpty: Bool { image() == nil }

    func replace(
        with image: KFCrossPlatformImage,
        transition: ImageTransition,
        options: KingfisherParsedOptionsInfo,
        done: @escaping @MainActor () -> Void
    ) {
        state.placeholder = nil
        setImage(image, options: options)
        done()
    }
}

/// Somebody's own class with an image.
struct SettableTarget<Base: KingfisherImageSettable>: ImageSettingTarget {
    let base: Base

    var state: ImageSettingState { ImageSettingState.ofOthers[base] }
    var preloadsAnimation: Bool { false }
    var isScreen: Bool { false }

    func image() -> KFCrossPlatformImage? { base.getImage() }

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        base.setImage(image, options: options)
    }

    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        state.placeholder = placeholder
        base.setImage(placeholder as? KFCrossPlatformImage, options: options)
    }
}

/// An image view.
struct ImageViewTarget: ImageSettingTarget {
    let base: ImageView

    var state: ImageSettingState { base.setting }
    var preloadsAnimation: Bool { base.shouldPreloadAllAnimation() }
    var isScreen: Bool { true }
    var pixelSize: PixelSize? { PixelSize(covering: base.surface.size, scale: base.surface.scale) }

    /// A placeholder may be a view in front of one without an image.
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
        done: @escaping @MainActor () -> Void
    ) {
        func set() {
            // Removing a placeholder that is an image would show nothing for a moment.
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
            return done()
        }
        base.surface.transition(viewTransition, changes: set) { hasFinished in
            if case .custom(_, _, _, let completion) = transition { completion?(hasFinished) }
            done()
        }
    }
}
