import AlcedoLocks
import AlcedoTransport
import Foundation

extension ImageDownloader {
    /// Keeps the bodies of downloads that broke off or were cancelled, to resume them; nil, the default, for none.
    ///
    /// While it is set, bodies from 128 KiB on are also written to the disk as they arrive, so that they outlive the process.
    public var resumableDownloads: ResumableDownloads? {
        get { settings.withLock { $0.resumableDownloads } }
        set { settings.withLock { $0.resumableDownloads = newValue } }
    }

    /// The transport of a request: with the layer that resumes bodies, if that is wanted.
    func resuming(_ options: KingfisherParsedOptionsInfo) -> any Transport {
        guard let folder = resumableDownloads?.folder else { return transport }
        return ResumingTransport(transport, store: folder) { [backpressure] first, rest, joined in
            let reservation = backpressure?.reserve(first.count + rest.count)
            WorkerPool.shared.submit(priority: options.downloadPriority) {
                let body = first + rest
                joined(body, !options.findsDamage(in: body))
                reservation?.release()
            }
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether `body` is of a known format and damaged.
    fileprivate func findsDamage(in body: Data) -> Bool {
        do throws(CodecError) {
            let image = try EncodedImage(
                body, limits: decodeLimits, onlyFirstFrame: true, resources: decodeResources)
            _ = try image.decode()
            return false
        } catch {
            return error.isDamage && error != .unknownFormat
        }
    }
}
