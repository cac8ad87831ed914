import AlcedoLocks
public import Foundation

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    case image(KFCrossPlatformImage)
    case data(Data)
}

/// Creates an image from bytes or from another image.
public protocol ImageProcessor: Sendable {
    /// Identifies the processor and its parameters; part of cache keys.
    ///
    /// Two processors with equal identifiers must produce equal pixels.
    var identifier: String { get }

    /// Processes an item; nil if it cannot be decoded or processed.
    ///
    /// Called on a worker thread, or on the option `processingQueue`. On a worker thread it must not wait: that would keep other
    /// images from being decoded. See <doc:YourCode>.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// A processor that runs this one and then `another`; the identifiers are joined with `|>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(self, another)
    }

    /// The image of `item`; bytes are decoded by the default processor.
    func image(of item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

infix operator |> : AdditionPrecedence

/// A processor that runs `left` and then `right`.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}

/// A processor that throws why it fails, and that knows the load it processes for.
///
/// Works wherever an ``ImageProcessor`` does: in chains, for coalesced loads, for cached originals. What it throws is the error
/// of ``KingfisherError/ProcessorErrorReason/processorThrew(processor:item:error:)``.
public protocol ThrowingImageProcessor: ImageProcessor {
    /// Processes an item, on the thread of ``ImageProcessor/process(item:options:)``.
    ///
    /// - Throws: why the item cannot be processed; the load fails with it, or is retried.
    func process(
        item: ImageProcessItem, options: KingfisherParsedOptionsInfo, context: ImageProcessingContext
    ) throws -> KFCrossPlatformImage
}

extension ThrowingImageProcessor {
    /// Calls ``process(item:options:context:)``; returns nil if that throws.
    public func process(
        item: ImageProcessItem, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        do {
            return try process(item: item, options: options, context: ImageProcessingContext(options))
        } catch {
            options.processingRun?.thrown = ProcessingRun.Thrown(processor: self, error: error)
            return nil
        }
    }
}

/// What a ``ThrowingImageProcessor`` knows about the load that it processes for.
///
/// Coalesced loads are processed once: for all of them, with the context of the one that came first.
public struct ImageProcessingContext: Sendable {
    /// The source; nil if the processor is called by the program itself.
    public let source: Source?

    /// The load's ``ImageLoadEvent/loadID``; nil for a call of an ``ImageDownloader`` or of the program's.
    public let loadID: Int?

    private let isCurrent: (@Sendable () -> Bool)?

    init(_ options: KingfisherParsedOptionsInfo) {
        source = options.processingRun?.source
        loadID = options.processingRun?.loadID
        isCurrent = options.isCurrent
    }

    /// Whether no load wants the image any more: each was cancelled, or its view loads another image.
    ///
    /// A long processing may then throw `CancellationError`; nothing is cached.
    public var isCancelled: Bool { isCurrent?() == false }
}

/// A size in the format of Kingfisher's identifiers, `(100.0, 50.0)`.
func identifierText(_ size: CGSize) -> String {
    "(\(Double(size.width)), \(Double(size.height)))"
}

/// A point in the format of Kingfisher's identifiers, `(0.5, 0.5)`.
func identifierText(_ point: CGPoint) -> String {
    "(\(Double(point.x)), \(Double(point.y)))"
}

extension ImageProcessor {
    /// Decodes bytes that a program has got itself, processes the image, and encodes it in `format`.
    ///
    ///     let processor = DownsamplingImageProcessor(size: CGSize(width: 512, height: 512))
    ///     let avatar = try await processor.convert(upload, to: .jpeg)
    ///
    /// It runs where loads decode, within ``DecodeBudget/shared``, and uses no cache. The result is always encoded
    /// again, so it has none of the upload's bytes, and none of its metadata unless `encoding` keeps it. An animation
    /// stays one if `format` supports that.
    ///
    /// - Parameters:
    ///   - data: the bytes, in any format that Alcedo decodes.
    ///   - format: the result's format.
    ///   - limits: what is decoded, and where: a service sets ``DecodeLimits/sandbox`` to `.required` here.
    ///   - encoding: the encoder's options.
    /// - Returns: the encoded image.
    /// - Throws: ``KingfisherError`` for bytes that can't be decoded or processed; ``CodecError`` for an image that can't be
    ///   encoded in `format`, and for damage after an animation's first frame; `CancellationError` if the task is
    ///   cancelled, once a step that has started is over.
    public func convert(
        _ data: Data, to format: EncodedFormat, limits: DecodeLimits = DecodeLimits(),
        encoding: EncodeOptions = EncodeOptions()
    ) async throws -> Data {
        let isCancelled = Cancellation()
        return try await withTaskCancellationHandler {
            let outcome = OneShot<Data, any Error>()
            var options = KingfisherParsedOptionsInfo([.processor(self), .decodeLimits(limits)])
            options.isCurrent = { !isCancelled.isCancelled }
            // Damage has to show before the encoder, whose errors are of another kind.
            options.backgroundDecode = true
            options.process { [options] in
                outcome.finish(Result { try options.converted(data, to: format, encoding) })
            }
            return try await outcome.value()
        } onCancel: {
            isCancelled.cancel()
        }
    }
}

extension KingfisherParsedOptionsInfo {
    fileprivate func converted(
        _ data: Data, to format: EncodedFormat, _ encoding: EncodeOptions
    ) throws -> Data {
        guard !isSourceTaskStale else { throw CancellationError() }
        let item = ImageProcessItem.data(data)
        var options = self
        options.processingRun = ProcessingRun(of: nil, loadID: nil)
        let processed = try options.processed(item).get()
        guard !isSourceTaskStale else { throw CancellationError() }
        let image = try options.decoded(processed, of: item).get()
        guard !isSourceTaskStale else { throw CancellationError() }
        return try image.newData(as: format, options: encoding)
    }
}
