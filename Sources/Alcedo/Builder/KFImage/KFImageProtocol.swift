public import Foundation

/// An image that is declared with chained calls, and becomes a view: ``KFImage`` and ``KFAnimatedImage``.
///
/// A value type: each call returns a changed copy, and one value makes any number of views.
@MainActor
public protocol KFImageProtocol: KFOptionSetter {
    /// The view that shows the image.
    associatedtype HoldingView: ImageView

    /// The source and the options.
    var context: KFImage.Context<HoldingView> { get }

    /// Makes an image of a source and options.
    init(context: KFImage.Context<HoldingView>)

    /// Makes an empty view on a toolkit's surface.
    static func makeHoldingView(surface: any ViewSurface) -> HoldingView
}

// MARK: - Sources

extension KFImageProtocol {
    /// An image from `source`, with the shared manager's `defaultOptions`; for nil, the load fails with `emptySource`.
    public init(source: Source?) { self.init(context: KFImage.Context(source: source)) }

    /// An image from `url`.
    public init(_ url: URL?) { self.init(source: url?.convertToSource()) }

    /// An image from `source`.
    public static func source(_ source: Source?) -> Self { Self(source: source) }

    /// An image from `resource`.
    public static func resource(_ resource: (any Resource)?) -> Self {
        Self(source: resource?.convertToSource())
    }

    /// An image from `url`, cached under `cacheKey`, or the URL's own key if that is nil.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> Self {
        Self(source: url?.convertToSource(overrideCacheKey: cacheKey))
    }

    /// An image from `provider`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> Self {
        Self(source: provider?.convertToSource())
    }

    /// An image from bytes in memory.
    public static func data(_ data: Data?, cacheKey: String) -> Self {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }
}

// MARK: - Options

extension KFImageProtocol {
    /// The present options.
    public var options: KingfisherParsedOptionsInfo {
        get { context.settings.options }
        nonmutating set { context.settings.options = newValue }
    }

    /// Called with the error if a load fails.
    public var onFailureDelegate: Delegate<KingfisherError, Void> { context.settings.onFailure }

    /// Called with the result if a load succeeds.
    public var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { context.settings.onSuccess }

    /// Called with the download's progress: bytes received and total bytes.
    public var onProgressDelegate: Delegate<(Int64, Int64), Void> { context.settings.onProgress }

    /// A copy, which later calls change.
    public func copyForMutation() -> Self { Self(context: context.copy()) }
}

// MARK: - Views

extension KFImageProtocol {
    /// Makes a view on a toolkit's surface, which loads the image when the surface becomes visible.
    ///
    /// AlcedoGTK makes a widget with `makeWidget()`.
    public func makeView(surface: any ViewSurface) -> HoldingView {
        let view = Self.makeHoldingView(surface: surface)
        let binder = ImageBinder(view)
        view.binder = binder
        binder.bind(context.settings) { configure(view) }
        return view
    }

    /// Runs the blocks of ``configure(_:)`` for a view.
    package func configure(_ view: HoldingView) {
        for block in context.configurations { block(view) }
    }
}
