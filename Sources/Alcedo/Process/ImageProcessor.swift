public import Foundation

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    /// An image to change.
    case image(KFCrossPlatformImage)
    /// Bytes to decode and then change.
    case data(Data)
}

/// Makes an image of bytes or of another image.
public protocol ImageProcessor: Sendable {
    /// Identifies the processor and its parameters; part of cache keys.
    ///
    /// Two processors with equal identifiers must make equal pixels.
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
