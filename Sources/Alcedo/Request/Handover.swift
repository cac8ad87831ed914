/// What Alcedo passes to itself through the options of one call, because the program's code is in between: a subclass of
/// ``ImageDownloader`` or ``ImageCache`` that overrides the method, or a processor that calls others.
///
/// Set right before the call, and read where that arrives; a load's own options have none.
indirect enum Handover: Sendable {
    case download(DownloadContext)
    case store(StoreConditions)
    case processing(ProcessingRun)
}

extension KingfisherParsedOptionsInfo {
    /// For ``ImageDownloader/downloadImage(with:options:completionHandler:)``.
    var downloadContext: DownloadContext {
        get { if case .download(let context) = handover { context } else { DownloadContext() } }
        set { handover = .download(newValue) }
    }

    /// For ``ImageCache/store(_:original:forKey:options:toDisk:completionHandler:)``.
    var storeConditions: StoreConditions {
        get { if case .store(let conditions) = handover { conditions } else { StoreConditions() } }
        set { handover = .store(newValue) }
    }

    /// For ``ImageProcessor/process(item:options:)``; nil if the program itself calls a processor.
    package var processingRun: ProcessingRun? {
        get { if case .processing(let run) = handover { run } else { nil } }
        set { handover = newValue.map { .processing($0) } }
    }
}
