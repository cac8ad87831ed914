import AlcedoLocks
import Foundation

extension ImageLoad {
    /// Loads from the source itself, whatever the caches hold.
    func load(_ source: Source) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        switch source {
        case .network(let resource): download(resource.downloadURL, of: source)
        case .provider(let provider): read(provider, of: source)
        }
    }

    private func download(_ url: URL, of source: Source) {
        guard let downloader = options.downloader else {
            preconditionFailure("the manager sets a downloader")
        }
        var options = options
        options.completionMayBlock =
            options.imageModifier != nil || (options.completionMayBlock ?? options.callbackQueue.isUntouched)
        options.callbackQueue = .untouch
        options.announce = { [weak self] callback in self?.announce(callback) }
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
        announceReplacement()
        isLinked.open()
    }

    private func read(_ provider: any ImageDataProvider, of source: Source) {
        announceReplacement()
        let answer = OnceCallback<Result<Data, any Error>> { [self] outcome in
            handle.detach()
            switch outcome {
            case .success(let data): process(data, from: source)
            case .failure(is CancellationError): finish(.failure(cancellation))
            case .failure(let error):
                let reason = KingfisherError.ImageSettingErrorReason.dataProviderError(
                    provider: provider, error: error)
                fail(.imageSettingError(reason: reason), source: source)
            }
        }
        let stop = Cancellation()
        // The handle must know this work before what comes after it.
        handle.work {
            // Before the provider says that its task was cancelled.
            answer.drop()
            stop.cancel()
        }
        let task = Task {
            do { answer.call(.success(try await provider.data())) } catch { answer.call(.failure(error)) }
        }
        stop.whenCancelled { task.cancel() }
    }

    /// Tells of an attempt that takes the place of another.
    private func announceReplacement() {
        guard let downloadTaskUpdated, state.withLock({ $0.isReplacement }) else { return }
        announce { downloadTaskUpdated(handle) }
    }

    private func process(_ data: Data, from source: Source) {
        options.process { [self] in
            guard isWanted(source) else { return }
            switch options.processed(.data(data)) {
            case .success(let image):
                let decoded = options.backgroundDecode ? image.kf.decoded : image
                guard isWanted(source) else { return }
                store(ImageLoadingResult(image: decoded, url: source.url, originalData: data), from: source)
            case .failure(let error): fail(error, source: source)
            }
        }
    }
}
