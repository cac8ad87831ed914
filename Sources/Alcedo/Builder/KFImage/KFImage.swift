/// An image that is declared with chained calls, and becomes an ``ImageView``.
///
/// Such as `KFImage(url).downsampling(size: size).fade(duration: 0.2).resizable().scaledToFill()`. The view loads the image
/// when it appears, and again after a failure when it appears the next time. AlcedoGTK creates a widget from it with
/// `makeWidget()`; ``KFImageProtocol/makeView(surface:)`` is for other toolkits.
@MainActor
public struct KFImage: KFImageProtocol {
    public let context: Context<ImageView>

    public init(context: Context<ImageView>) { self.context = context }

    public static func makeHoldingView(surface: any ViewSurface) -> ImageView { ImageView(surface: surface) }
}

/// A ``KFImage`` that becomes an ``AnimatedImageView``, which decodes the frames of an animation on demand.
@MainActor
public struct KFAnimatedImage: KFImageProtocol {
    public let context: KFImage.Context<AnimatedImageView>

    public init(context: KFImage.Context<AnimatedImageView>) { self.context = context }

    public static func makeHoldingView(surface: any ViewSurface) -> AnimatedImageView {
        AnimatedImageView(surface: surface)
    }
}

extension KFImage {
    /// The source and the options of an image, set through ``KFImageProtocol``.
    @MainActor
    public final class Context<HoldingView: ImageView> {
        package var settings: Settings
        var configurations: [@MainActor (HoldingView) -> Void] = []

        init(source: Source?) { settings = Settings(source: source) }

        private init(_ other: Context) {
            settings = other.settings.copy()
            configurations = other.configurations
        }

        func copy() -> Context { Context(self) }
    }

    /// The part of the context that does not depend on the view's class.
    @MainActor
    package struct Settings {
        package let source: Source?
        package var options = KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions)
        var onFailure = Delegate<KingfisherError, Void>()
        var onSuccess = Delegate<RetrieveImageResult, Void>()
        var onProgress = Delegate<(Int64, Int64), Void>()
        var placeholder: (@MainActor () -> (any Placeholder)?)?
        var failureView: (@MainActor () -> (any Placeholder)?)?
        var cancelsOnDisappear = false
        var reducesPriorityOnDisappear = false
        var startsBeforeAppearing = false
        var isResizable = false
        var contentMode = KFCrossPlatformView.ContentMode.scaleAspectFit
        var accessibilityLabel: String?

        init(source: Source?) { self.source = source }

        func copy() -> Settings {
            var copy = self
            copy.onFailure = onFailure.copy()
            copy.onSuccess = onSuccess.copy()
            copy.onProgress = onProgress.copy()
            return copy
        }
    }
}
