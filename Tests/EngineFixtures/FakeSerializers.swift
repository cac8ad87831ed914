import AlcedoTestSupport
import Dispatch
import Foundation

@testable import Alcedo

/// Waits at a gate before it serializes.
struct Gated: CacheSerializer {
    let gate: Gate

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        gate.wait()
        return DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// Waits at a gate before it makes an image.
struct SlowToRead: CacheSerializer {
    let gate: Gate

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        gate.wait()
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// Notes whether it serializes in the queue that has its mark.
struct Noting: CacheSerializer {
    let queueMark = DispatchSpecificKey<Bool>()
    let isInQueue = Recorder<Bool>()

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        isInQueue.append(DispatchQueue.getSpecific(key: queueMark) != nil)
        return Data()
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// Notes whether it makes an image in a queue that has its mark.
struct ReadNoting: CacheSerializer {
    let queueMark = DispatchSpecificKey<Bool>()
    let isInQueue = Recorder<Bool>()

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        isInQueue.append(DispatchQueue.getSpecific(key: queueMark) != nil)
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// Makes nothing of anything.
struct Refusing: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// Hides the bytes of an image from whoever doesn't know that each is turned over.
struct Encrypting: CacheSerializer {
    /// Whether it keeps the original in place of a processed image.
    var originalDataUsed = false

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original).map(turned)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: turned(data), options: options)
    }

    private func turned(_ data: Data) -> Data { Data(data.map { ~$0 }) }
}

/// Does something whenever it has read an image.
struct InterruptedSerializer: CacheSerializer {
    let interruption: @Sendable () -> Void

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        defer { interruption() }
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
