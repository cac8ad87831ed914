import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Dispatch
import Foundation

/// Processes only once its gate is open.
struct HeldProcessor: ImageProcessor {
    let identifier = "held"
    let gate = Gate()
    let runs = CallCounter()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        gate.wait()
        runs.increment()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

/// Makes nothing of anything.
struct RefusingProcessor: ImageProcessor {
    let identifier = "refusing"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        nil
    }
}

/// Runs blocks where they are added, as an operation queue may.
final class InlineQueue: CallbackOperationQueue {
    var underlyingQueue: DispatchQueue? { nil }
    func addOperation(_ block: @Sendable @escaping () -> Void) { block() }
}

/// Keeps blocks until a test runs them.
final class ManualQueue: CallbackOperationQueue {
    let blocks = Recorder<@Sendable () -> Void>()
    var underlyingQueue: DispatchQueue? { nil }
    func addOperation(_ block: @Sendable @escaping () -> Void) { blocks.append(block) }
}

/// A cache that counts the reads that are over, and who asks which cache has an image.
///
/// Safe because it adds nothing that changes.
final class WatchedCache: ImageCache, @unchecked Sendable {
    let reads = CallCounter()
    let lookUps = CallCounter()

    convenience init(_ cache: ImageCache) {
        self.init(memoryStorage: cache.memoryStorage, diskStorage: cache.diskStorage)
    }

    override func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        super.retrieveImage(forKey: key, options: options, callbackQueue: callbackQueue) { [reads] result in
            completionHandler?(result)
            reads.increment()
        }
    }

    override func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        lookUps.increment()
        return super.imageCachedType(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }
}

/// Pictures of 8×8 pixels that are decoded only once a gate is open; `HELD` and a name are their bytes.
struct HeldCodec: ImageCodec {
    let name: String
    let gate = Gate()
    let decoded = CallCounter()
    private let size = PixelSize(width: 8, height: 8)

    var bytes: [UInt8] { Array("HELD\(name)".utf8) }

    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isOurs = bytes.withUnsafeBytes { $0.elementsEqual(self.bytes) }
        return isOurs ? EncodedFormat(rawValue: "held") : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: EncodedFormat(rawValue: "held"), size: size, frameCount: 1, loopCount: 1)
    }

    /// Nothing, so that no decode of another test waits for the gate.
    ///
    /// One that needs more than the whole shared budget would wait until nothing is reserved, and all later ones behind it.
    /// On two cores, two decodes that wait in tests take all of Swift's threads, and who opens the gate needs one.
    func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        DecodeMemory(result: 0)
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        gate.wait()
        decoded.increment()
        return try PixelBuilder(size: size, alpha: .opaque).freeze()
    }
}

/// Counts when it is let go of.
final class ReleaseToken: Sendable {
    private let released: CallCounter

    init(_ released: CallCounter) { self.released = released }

    deinit { released.increment() }
}
