public import Foundation

// Options of declared images only; KFOptionSetter has those that a builder has too.

extension KFImageProtocol {
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

    /// Sets an image that is shown until the image is loaded.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder { image }
    }

    /// Sets a block that makes the placeholder that a view shows until the image is loaded.
    public func placeholder(_ make: @escaping @MainActor () -> (any Placeholder)?) -> Self {
        changing { $0.placeholder = make }
    }

    /// Sets a block that makes what a view shows after a failure, until it loads again; not after a cancellation.
    public func onFailureView(_ make: @escaping @MainActor () -> (any Placeholder)?) -> Self {
        changing { $0.failureView = make }
    }

    /// Sets ``KingfisherParsedOptionsInfo/showCachedVariantWhileLoading``.
    public func showCachedVariantWhileLoading(_ enabled: Bool = true) -> Self {
        setting { $0.showCachedVariantWhileLoading = enabled }
    }

    /// Sets whether to load only the first frame of an animation, as a still image.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        setting { $0.onlyLoadFirstFrame = enabled }
    }

    /// Sets the transition to the loaded image.
    public func transition(_ transition: ImageTransition) -> Self {
        setting { $0.transition = transition }
    }

    /// Sets a fade-in with a duration in seconds.
    public func fade(duration: TimeInterval) -> Self { transition(.fade(duration)) }

    // MARK: - When to load

    /// Sets whether the load starts as soon as a view is made, and not when it appears.
    public func startLoadingBeforeViewAppear(_ flag: Bool = true) -> Self {
        changing { $0.startsBeforeAppearing = flag }
    }

    /// Sets whether the load is cancelled when the view disappears; it starts again when the view appears.
    public func cancelOnDisappear(_ flag: Bool) -> Self {
        changing { $0.cancelsOnDisappear = flag }
    }

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
    public func accessibilityLabel(_ label: String?) -> Self {
        changing { $0.accessibilityLabel = label }
    }
}
