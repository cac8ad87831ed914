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

/// Makes nothing of anything.
struct Refusing: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}
