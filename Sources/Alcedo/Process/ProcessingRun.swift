import AlcedoLocks
import AlcedoPixels

/// One run of the options' processor for Alcedo: what it is for, and why it failed, because processors only return nil.
package final class ProcessingRun: Sendable {
    struct Thrown: Sendable {
        let processor: any ImageProcessor
        let error: any Error
    }

    private struct State {
        var error: CodecError?
        var thrown: Thrown?
    }

    /// The source that is processed; nil if it is unknown.
    let source: Source?

    let loadID: Int?

    /// The transfer of the bytes; nil for bytes from elsewhere.
    package let transfer: SessionDataTask?

    private let state = Lock(State())

    init(of source: Source?, loadID: Int?, transfer: SessionDataTask? = nil) {
        (self.source, self.loadID, self.transfer) = (source, loadID, transfer)
    }

    var error: CodecError? {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    var thrown: Thrown? {
        get { state.withLock { $0.thrown } }
        set {
            let old = state.withLock { exchange(&$0.thrown, with: newValue) }
            _ = consume old
        }
    }
}

/// A processor that returned nil, with the reason why one of Alcedo's did, for the error's description.
struct FailedProcessor: ImageProcessor {
    let processor: any ImageProcessor
    let reason: CodecError

    var identifier: String { processor.identifier }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        processor.process(item: item, options: options)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Runs a processor on the options' queue or on a worker thread.
    package func process(_ block: @Sendable @escaping () -> Void) {
        if let processingQueue {
            processingQueue.execute(block)
        } else {
            WorkerPool.shared.submit(priority: downloadPriority, block)
        }
    }

    /// Processes `item`; the error contains the reason that the options' ``processingRun`` has recorded.
    func processed(_ item: ImageProcessItem) -> Result<KFCrossPlatformImage, KingfisherError> {
        if let image = processor.process(item: item, options: self) { return .success(image) }
        if let thrown = processingRun?.thrown {
            let reason = KingfisherError.ProcessorErrorReason.processorThrew(
                processor: thrown.processor, item: item, error: thrown.error)
            return .failure(.processorError(reason: reason))
        }
        var failed = processor
        // A processor of the program's has a reason, too, if it has called one of Alcedo's.
        if let reason = processingRun?.error {
            failed = FailedProcessor(processor: processor, reason: reason)
        }
        return .failure(.processorError(reason: .processingFailed(processor: failed, item: item)))
    }

    /// The image that was created from `item`; an error if the load decodes it and its pixels are damaged or exceed a limit.
    func decoded(
        _ image: KFCrossPlatformImage, of item: ImageProcessItem
    ) -> Result<KFCrossPlatformImage, KingfisherError> {
        do throws(CodecError) {
            if backgroundDecode {
                _ = try image.bitmap()
            } else if checksPixels, image.decodedBitmap == nil {
                // Not kept, because it may not be shown soon.
                _ = try image.encoded?.decode()
            }
            return .success(image)
        } catch {
            let failed = FailedProcessor(processor: processor, reason: error)
            return .failure(.processorError(reason: .processingFailed(processor: failed, item: item)))
        }
    }

    /// Returns the body's image; if it throws, records the error and returns nil.
    func recording(_ body: () throws(CodecError) -> KFCrossPlatformImage) -> KFCrossPlatformImage? {
        do throws(CodecError) {
            return try body()
        } catch {
            processingRun?.error = error
            return nil
        }
    }
}

extension ImageProcessor {
    var isOurs: Bool {
        self is DefaultImageProcessor || self is any PixelProcessor || self is ProcessorChain
            || self is PageImageProcessor || (self as? MetadataProcessor)?.base.isOurs == true
    }
}
