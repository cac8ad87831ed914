public import Foundation

/// An image that is declared with chained calls, and becomes a view: ``KFImage`` and ``KFAnimatedImage``.
///
/// A value type: each call returns a changed copy, and one value creates any number of views.
@MainActor
public protocol KFImageProtocol: KFOptionSetter {
    associatedtype HoldingView: ImageView

    var context: KFImage.Context<HoldingView> { get }

    init(context: KFImage.Context<HoldingView>)

    static func makeHoldingView(surface: any ViewSurface) -> HoldingView
}

// MARK: - Sources

extension KFImageProtocol {
    /// An image from `source`, with the shared manager's `defaultOptions`; for nil, the load fails with `emptySource`.
    public init(source: Source?) { self.init(context: KFImage.Context(source: source)) }

    public init(_ url: URL?) { self.init(source: url?.convertToSource()) }

    public static func source(_ source: Source?) -> Self { Self(source: source) }

    public static func resource(_ resource: (any Resource)?) -> Self {
        Self(source: resource?.convertToSource())
    }

    /// An image from `url`, cached under `cacheKey`, or the URL's own key if that is nil.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> Self {
        Self(source: url?.convertToSource(overrideCacheKey: cacheKey))
    }

    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> Self {
        Self(source: provider?.convertToSource())
    }

    public static func data(_ data: Data?, cacheKey: String) -> Self {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }

    // MARK: - Options

    public var options: KingfisherParsedOptionsInfo {
        get { context.settings.options }
        nonmutating set { context.settings.options = newValue }
    }

    public var onFailureDelegate: Delegate<KingfisherError, Void> { context.settings.onFailure }
    public var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { context.settings.onSuccess }
    public var onProgressDelegate: Delegate<(Int64, Int64), Void> { context.settings.onProgress }

    /// A copy, which later calls change.
    public func copyForMutation() -> Self { Self(context: context.copy()) }

    // MARK: - Views

    /// Creates a view on a toolkit's surface, which loads the image when the surface becomes visible.
    ///
    /// AlcedoGTK creates a widget with `makeWidget()`.
    public func makeView(surface: any ViewSurface) -> HoldingView {
        let view = Self.makeHoldingView(surface: surface)
        let binder = ImageBinder(view)
        view.binder = binder
        binder.bind(context.settings) { configure(view) }
        return view
    }

    package func configure(_ view: HoldingView) {
        for block in context.configurations { block(view) }
    }

    // MARK: - Options of declared images only

    private func changing(_ change: (inout KFImage.Settings) -> Void) -> Self {
        let copy = copyForMutation()
        change(&copy.context.settings)
        return copy
    }

    /// Sets a block that changes each view before it loads, such as the speed of a ``KFAnimatedImage``.
    ///
    /// It must not retain what the view is in. Further blocks run after those set before.
    public func configure(_ block: @escaping @MainActor (HoldingView) -> Void) -> Self {
        let copy = copyForMutation()
        copy.context.configurations.append(block)
        return copy
    }

    // MARK: - While loading, and after a failure

    public func placeholder(_ image: KFCrossPlatformImage?) -> Self { placeholder { image } }

    /// Sets a block that creates the placeholder that a view shows until the image is loaded.
    public func placeholder(_ make: @escaping @MainActor () -> (any Placeholder)?) -> Self {
        changing { $0.placeholder = make }
    }

    /// Sets a block that creates what a view shows after a failure, until it loads again; not after a cancellation.
    public func onFailureView(_ make: @escaping @MainActor () -> (any Placeholder)?) -> Self {
        changing { $0.failureView = make }
    }

    public func showCachedVariantWhileLoading(_ enabled: Bool = true) -> Self {
        setting { $0.showCachedVariantWhileLoading = enabled }
    }

    public func showDesktopThumbnailWhileLoading(_ enabled: Bool = true) -> Self {
        setting { $0.showDesktopThumbnailWhileLoading = enabled }
    }

    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        setting { $0.onlyLoadFirstFrame = enabled }
    }

    public func transition(_ transition: ImageTransition) -> Self { setting { $0.transition = transition } }

    /// Sets a fade-in with a duration in seconds.
    public func fade(duration: TimeInterval) -> Self { transition(.fade(duration)) }

    // MARK: - When to load

    /// Sets whether the load starts as soon as a view is created, and not when it appears.
    public func startLoadingBeforeViewAppear(_ flag: Bool = true) -> Self {
        changing { $0.startsBeforeAppearing = flag }
    }

    /// Sets whether the load is cancelled when the view disappears; it starts again when the view appears.
    public func cancelOnDisappear(_ flag: Bool) -> Self { changing { $0.cancelsOnDisappear = flag } }

    /// Sets whether the load has a low priority, 0.25, while the view is not visible.
    public func reducePriorityOnDisappear(_ flag: Bool) -> Self {
        changing { $0.reducesPriorityOnDisappear = flag }
    }

    // MARK: - Size and description

    /// Lets the view be larger or smaller than the image; otherwise the image keeps its natural size.
    public func resizable() -> Self { changing { $0.isResizable = true } }

    /// Sets how a resizable image is fitted to the view; ``KFCrossPlatformView/ContentMode/scaleAspectFit`` by default.
    public func contentMode(_ mode: KFCrossPlatformView.ContentMode) -> Self {
        changing { $0.contentMode = mode }
    }

    /// Scales a resizable image to the largest size that fits inside the view.
    public func scaledToFit() -> Self { contentMode(.scaleAspectFit) }

    /// Scales a resizable image to the smallest size that covers the view, clipped to the view.
    public func scaledToFill() -> Self { contentMode(.scaleAspectFill) }

    /// Sets what a screen reader says of the image; nil for nothing.
    public func accessibilityLabel(_ label: String?) -> Self { changing { $0.accessibilityLabel = label } }
}
