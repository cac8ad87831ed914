import AlcedoLocks
import AlcedoPixels

/// Records why an image could not be decoded or processed: processors themselves only return nil.
final class CodecFailure: Sendable {
    private let state = Lock<CodecError?>(nil)

    var error: CodecError? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A processor of Alcedo that returned nil, with the reason, for the error's description.
struct FailedProcessor: ImageProcessor {
    let processor: any ImageProcessor
    let reason: CodecError

    var identifier: String { processor.identifier }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        processor.process(item: item, options: options)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Processes `item`; the error contains the recorded reason.
    func processed(_ item: ImageProcessItem) -> Result<KFCrossPlatformImage, KingfisherError> {
        let failure = CodecFailure()
        var options = self
        options.context.codecFailure = failure
        if let image = processor.process(item: item, options: options) { return .success(image) }
        var failed = processor
        // A program's own processor is passed unchanged, because the program may inspect it.
        if let reason = failure.error, processor.isOurs {
            failed = FailedProcessor(processor: processor, reason: reason)
        }
        return .failure(.processorError(reason: .processingFailed(processor: failed, item: item)))
    }

    /// Returns the body's image; if it throws, records the error and returns nil.
    func recording(_ body: () throws(CodecError) -> KFCrossPlatformImage) -> KFCrossPlatformImage? {
        do throws(CodecError) {
            return try body()
        } catch {
            context.codecFailure?.error = error
            return nil
        }
    }
}

extension ImageProcessor {
    fileprivate var isOurs: Bool {
        self is DefaultImageProcessor || self is any PixelProcessor || self is ProcessorChain
    }
}
