import AlcedoLocks
import AlcedoPixels

/// Why an image could not be decoded or changed: processors themselves only say that.
final class CodecFailure: Sendable {
    private let state = Lock<CodecError?>(nil)

    var error: CodecError? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// One of the project's own processors that made no image, with the reason; an error shows it and need not look again.
struct FailedProcessor: ImageProcessor {
    let processor: any ImageProcessor
    let reason: CodecError

    var identifier: String { processor.identifier }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        processor.process(item: item, options: options)
    }
}

extension KingfisherParsedOptionsInfo {
    /// What the processor makes of `item`; the error knows why that is nothing.
    func processed(_ item: ImageProcessItem) -> Result<KFCrossPlatformImage, KingfisherError> {
        let failure = CodecFailure()
        var options = self
        options.codecFailure = failure
        if let image = processor.process(item: item, options: options) { return .success(image) }
        var failed = processor
        // A program may look at a processor of its own, which is left as it is.
        if let reason = failure.error, processor.isOurs {
            failed = FailedProcessor(processor: processor, reason: reason)
        }
        return .failure(.processorError(reason: .processingFailed(processor: failed, item: item)))
    }

    /// What `body` returns; nil if it throws, which is noted.
    func noting(_ body: () throws(CodecError) -> KFCrossPlatformImage) -> KFCrossPlatformImage? {
        do throws(CodecError) {
            return try body()
        } catch {
            codecFailure?.error = error
            return nil
        }
    }
}

extension ImageProcessor {
    fileprivate var isOurs: Bool {
        self is DefaultImageProcessor || self is any PixelProcessor || self is ProcessorChain
    }
}
