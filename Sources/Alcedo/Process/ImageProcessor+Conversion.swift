import AlcedoLocks
public import Foundation

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
    ///   encoded in `format`, and for damage behind an animation's first frame; `CancellationError` if the task is
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
        let processed = try processed(item, in: ProcessingRun(of: nil, loadID: nil)).get()
        guard !isSourceTaskStale else { throw CancellationError() }
        let image = try decoded(processed, of: item).get()
        guard !isSourceTaskStale else { throw CancellationError() }
        return try image.newData(as: format, options: encoding)
    }
}
