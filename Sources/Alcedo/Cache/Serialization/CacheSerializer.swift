import AlcedoLocks
public import Foundation

/// Encodes images for a disk cache, and decodes them.
///
/// Called on threads for the program's serializers, which it may block; with `loadDiskFileSynchronously` on the thread of the
/// call. A load whose serializer never returns an image ends only when it is cancelled. See <doc:YourCode>.
public protocol CacheSerializer: Sendable {
    /// The bytes to store, or nil to store nothing; `original` is the encoded bytes of the unprocessed image, if known.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image of stored bytes; nil if they hold none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether it stores originals, so that a disk hit is processed again; false by default.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }
}

extension CacheSerializer {
    /// Whether it runs no code of the program's, and so never blocks.
    var isOfLibrary: Bool {
        // A comparison of types takes a hundredth of a cast to a protocol, and each load needs four.
        type(of: self) == DefaultCacheSerializer.self || type(of: self) == FormatIndicatedCacheSerializer.self
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether a downloaded image is for an image modifier or a serializer of the program's.
    var callsImageCode: Bool {
        imageModifier != nil || !cacheSerializer.isOfLibrary
    }

    /// Runs what calls the serializer: the program's where it may block, the library's on a worker thread.
    ///
    /// `byteCount` is that of the downloaded bytes that `block` keeps.
    func serialize(keeping byteCount: Int = 0, _ block: @escaping @Sendable () -> Void) {
        if cacheSerializer.isOfLibrary {
            WorkerPool.shared.submit(priority: downloadPriority, block)
        } else {
            callImageCode(keeping: byteCount, block)
        }
    }

    /// Runs what calls the program's image modifier or serializer, and has downloads for these wait if too many bytes do.
    func callImageCode(keeping byteCount: Int, _ block: @escaping @Sendable () -> Void) {
        let reservation = byteCount > 0 ? downloader?.imageBackpressure.reserve(byteCount) : nil
        ProgramThreads.images.async(priority: downloadPriority) {
            block()
            reservation?.release()
        }
    }
}
