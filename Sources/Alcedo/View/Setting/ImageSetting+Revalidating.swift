import Foundation

// What a target shows when a stale image was revalidated in the background.

extension ImageSetting {
    /// Has a later result of the load shown, if its options or their cache respect HTTP's freshness.
    func revalidation(
        of identifier: Source.Identifier.Value, _ options: inout KingfisherParsedOptionsInfo
    ) -> ImageSettingState.Revalidation? {
        let cache = options.targetCache ?? KingfisherManager.shared.cache
        guard (options.httpFreshness ?? cache.httpFreshness) == .respected else { return nil }
        let (handler, own) = (options.revalidationHandler, options)
        options.revalidationHandler = { result in
            onMain { showRevalidated(result, of: identifier, own) { handler?(result) } }
        }
        return ImageSettingState.Revalidation(identifier: identifier)
    }

    /// The target shows the load's image.
    func hasShown(_ result: RetrieveImageResult, of identifier: Source.Identifier.Value) {
        guard target.state.revalidation?.identifier == identifier else { return }
        target.state.show(result.image)
    }

    /// Shows a new image, unless the target shows or loads another one by now; then calls `tell`.
    private func showRevalidated(
        _ result: Result<RetrieveImageResult, KingfisherError>, of identifier: Source.Identifier.Value,
        _ options: KingfisherParsedOptionsInfo, then tell: @escaping @MainActor () -> Void
    ) {
        guard case .success(let value) = result, value.cacheType == .none,
            let revalidation = target.state.revalidation, revalidation.identifier == identifier
        else { return tell() }
        guard revalidation.isShown else {
            return target.state.delay {
                showRevalidated(result, of: identifier, options, then: tell)
            }
        }
        guard isShowing(identifier) else { return tell() }
        let show: @MainActor () -> Void = {
            guard isShowing(identifier) else { return tell() }
            target.state.expect(nil)
            target.replace(
                with: value.image, transition: options.transition, options: options, completion: tell)
        }
        let size = target.pixelSize
        guard target.isScreen, value.image.pixels(covering: size) == nil else { return show() }
        value.image.decode(covering: size) { _, _ in show() }
    }

    /// Whether the target still shows the stale image of this load.
    private func isShowing(_ identifier: Source.Identifier.Value) -> Bool {
        guard let revalidation = target.state.revalidation, revalidation.identifier == identifier,
            let image = revalidation.image
        else { return false }
        return target.image() === image
    }
}
