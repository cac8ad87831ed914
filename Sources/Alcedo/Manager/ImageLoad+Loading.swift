import AlcedoLocks
import Foundation

extension ImageLoad {
    /// Loads from the source itself, whatever the caches hold.
    ///
    /// A replacement takes the place of an attempt that the caller was told of, and so is announced.
    func load(_ source: Source, isReplacement: Bool = false) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        switch source {
        case .network(let resource): download(resource.downloadURL, of: source, isReplacement: isReplacement)
        case .provider(let provider): read(provider, of: source, isReplacement: isReplacement)
        }
    }

    private func download(_ url: URL, of source: Source, isReplacement: Bool) {
        guard let downloader = options.downloader else {
            preconditionFailure("the manager sets a downloader")
        }
        var options = options
        options.completionMayBlock =
            options.imageModifier != nil || (options.completionMayBlock ?? options.callbackQueue.isUntouched)
        options.callbackQueue = .untouch
        if state.withLock({ $0.isFrugal }) { options.lowDataModeSource = nil }
        // The handle must know this transfer before what comes after it.
        let isLinked = OneShotGate()
        let task = downloader.downloadImage(with: url, options: options) { [self] result in
            isLinked.whenOpen { [self] in
                switch result {
                case .success(let result): store(result, from: source)
                case .failure(let error): fail(error, source: source)
                }
            }
        }
        handle.link(to: task)
        if isReplacement { downloadTaskUpdated?(handle) }
        isLinked.open()
    }

    private func read(_ provider: any ImageDataProvider, of source: Source, isReplacement: Bool) {
        let answer = Claim()
        // The handle must know this work before it is over, or it would keep it for ever.
        let isLinked = OneShotGate()
        let task = Task { [self] in
            let outcome: Result<Data, any Error>
            do { outcome = .success(try await provider.data()) } catch { outcome = .failure(error) }
            isLinked.whenOpen { [self] in
                guard answer.take() else { return }
                handle.rest()
                switch outcome {
                case .success(let data): process(data, from: source)
                case .failure(let error):
                    fail(
                        .imageSettingError(reason: .dataProviderError(provider: provider, error: error)),
                        source: source
                    )
                }
            }
        }
        handle.work { [self] in
            task.cancel()
            guard answer.take() else { return }
            finish(.failure(.requestError(reason: .dataProviderCancelled(provider: provider))))
        }
        if isReplacement { downloadTaskUpdated?(handle) }
        isLinked.open()
    }

    private func process(_ data: Data, from source: Source) {
        options.process { [self] in
            let item = ImageProcessItem.data(data)
            guard let image = options.processor.process(item: item, options: options) else {
                let reason = KingfisherError.ProcessorErrorReason.processingFailed(
                    processor: options.processor, item: item)
                return fail(.processorError(reason: reason), source: source)
            }
            let decoded = options.backgroundDecode ? image.kf.decoded : image
            store(ImageLoadingResult(image: decoded, url: source.url, originalData: data), from: source)
        }
    }
}
