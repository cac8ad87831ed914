public import Foundation

extension KF.Builder {
    /// Loads the image into a view.
    @MainActor
    @discardableResult
    public func set(to imageView: KFCrossPlatformImageView) -> DownloadTask? {
        imageView.kf.setImage(
            with: source,
            placeholder: placeholder,
            parsedOptions: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    /// Loads the image into an object; only an image is supported as a placeholder.
    @MainActor
    @discardableResult
    public func set<Base: KingfisherImageSettable>(to base: Base) -> DownloadTask? {
        base.kf.setImage(
            with: source,
            placeholder: placeholder as? KFCrossPlatformImage,
            parsedOptions: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    /// Loads the image for one of a button's states.
    @MainActor
    @discardableResult
    public func set(to button: KFCrossPlatformButton, for state: UIControl.State) -> DownloadTask? {
        set(.image, of: button, state)
    }

    /// Loads the background image for one of a button's states.
    @MainActor
    @discardableResult
    public func setBackground(to button: KFCrossPlatformButton, for state: UIControl.State) -> DownloadTask? {
        set(.background, of: button, state)
    }

    @MainActor
    private func set(
        _ slot: KFCrossPlatformButton.Slot,
        of button: KFCrossPlatformButton,
        _ state: UIControl.State
    ) -> DownloadTask? {
        button.kf.set(
            slot,
            source,
            for: state,
            placeholder: placeholder as? KFCrossPlatformImage,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    private var progressBlock: DownloadProgressBlock {
        { [onProgressDelegate] received, total in onProgressDelegate.call((received, total)) }
    }

    private var completion: @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void {
        { [onSuccessDelegate, onFailureDelegate] result in
            switch result {
            case .success(let value): onSuccessDelegate.call(value)
            case .failure(let error): onFailureDelegate.call(error)
            }
        }
    }
}

extension KF.Builder {
    /// Sets the placeholder that is shown while loading.
    public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        self.placeholder = placeholder
        return self
    }

    /// Sets an image as the placeholder that is shown while loading.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder = image
        return self
    }

    /// Sets the transition to the loaded image.
    public func transition(_ transition: ImageTransition) -> Self {
        options.transition = transition
        return self
    }

    /// Sets a fade-in with a duration in seconds.
    public func fade(duration: TimeInterval) -> Self {
        options.transition = .fade(duration)
        return self
    }
}
