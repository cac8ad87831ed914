import AlcedoLocks
import AlcedoPixels

/// Records why an image could not be decoded or processed: processors themselves only return nil.
final class CodecFailure: Sendable {
    struct Thrown: Sendable {
        let processor: any ImageProcessor
        let error: any Error
    }

    private struct State {
        var error: CodecError?
        var thrown: Thrown?
    }

    private let state = Lock(State())

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
    /// Processes `item` of a source, that of the context by default; the error contains the recorded reason.
    func processed(
        _ item: ImageProcessItem, of source: Source? = nil
    ) -> Result<KFCrossPlatformImage, KingfisherError> {
        let failure = CodecFailure()
        var options = self
        options.context.codecFailure = failure
        options.context.source = source ?? context.source
        if let image = processor.process(item: item, options: options) { return .success(image) }
        if let thrown = failure.thrown {
            let reason = KingfisherError.ProcessorErrorReason.processorThrew(
                processor: thrown.processor, item: item, error: thrown.error)
            return .failure(.processorError(reason: reason))
        }
        var failed = processor
        // One of the program's has a reason if it calls one of Alcedo's.
        if let reason = failure.error {
            failed = FailedProcessor(processor: processor, reason: reason)
        }
        return .failure(.processorError(reason: .processingFailed(processor: failed, item: item)))
    }

    /// The image that was made of `item`; an error if the load decodes it and its pixels are damaged or exceed a limit.
    func decoded(
        _ image: KFCrossPlatformImage, of item: ImageProcessItem
    ) -> Result<KFCrossPlatformImage, KingfisherError> {
        do throws(CodecError) {
            if backgroundDecode {
                _ = try image.bitmap()
            } else if context.checksPixels, image.decodedBitmap == nil {
                // Not kept, because nobody may want to see it soon.
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
            context.codecFailure?.error = error
            return nil
        }
    }
}

extension ImageProcessor {
    var isOurs: Bool {
        self is DefaultImageProcessor || self is any PixelProcessor || self is ProcessorChain
            || (self as? MetadataProcessor)?.base.isOurs == true
    }
}
