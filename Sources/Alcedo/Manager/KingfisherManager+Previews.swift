extension KingfisherManager {
    /// Loads an image and shows previews of it meanwhile, for a program without a view.
    ///
    /// Cancelling the calling task cancels the load. No preview is shown after it has returned or thrown.
    package func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        previews: ImageProgressive,
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) async throws -> RetrieveImageResult {
        var options = parsed(options)
        options.callbackQueue = .untouch
        options.context.completionMayBlock = false
        let provider = ImageProgressiveProvider(previews, options: options, show: show)
        options.context.onDataReceived.append(provider)
        do {
            let result = try await awaitCompletion { [options] finish in
                let load = ImageLoad(
                    of: source, options: options, isAwaited: true, downloadTaskUpdated: nil,
                    completion: finish)
                return load.start() ?? load.handle
            }
            await MainActor.run { provider.finish() }
            return result
        } catch {
            await MainActor.run { provider.finish() }
            throw error
        }
    }
}
