public import Foundation

/// What a processor is given.
public enum ImageProcessItem: Sendable {
    /// An image, to be changed.
    case image(KFCrossPlatformImage)
    /// Bytes, to be decoded and then changed.
    case data(Data)
}

/// Turns bytes or an image into the image that a program wants.
public protocol ImageProcessor: Sendable {
    /// Names what the processor does, with its parameters; part of cache keys.
    ///
    /// Two processors with equal identifiers must make equal pixels.
    var identifier: String { get }

    /// The processed image, or nil if the item can't be decoded or processed.
    ///
    /// Called on a worker thread, or where the option `processingQueue` says.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// A processor that does this one's work and then `another`'s; identifiers are joined with `|>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(self, another)
    }

    /// What `item` is without this processor: bytes are given to the default one.
    func image(of item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

infix operator |> : AdditionPrecedence

/// A processor that does `left`'s work and then `right`'s.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}
