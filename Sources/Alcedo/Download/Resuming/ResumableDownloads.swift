import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Keeps the bodies of downloads that broke off, so that the next load of the URL requests only the rest.
///
/// Set it as a downloader's ``ImageDownloader/resumableDownloads``. Downloaders may share it, and processes a folder.
///
/// A body is kept if 64 KiB or more of it have arrived and the server sent its length and a strong validator: an `ETag` that
/// does not start with `W/`, or without one a `Last-Modified` date. Bodies of responses that forbid storing, of compressed
/// responses and of requests with a credential or cookies are not kept.
public final class ResumableDownloads: Sendable {
    let folder: PartialFolder

    /// Keeps bodies in a folder, which is created when the first one is stored.
    ///
    /// - Parameters:
    ///   - byteLimit: the limit on disk in bytes, 256 MiB by default. The oldest bodies are removed beyond it; a body that is
    ///     longer is not kept.
    ///   - expiration: the time from the last byte of a body until it is removed; a day by default.
    ///   - directory: the folder; nil for `org.alcedo.partial` in the user's caches folder.
    ///   - transform: changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``. A body that
    ///     it can't restore is removed.
    public init(
        byteLimit: Int = 256 << 20, expiration: Duration = .seconds(86_400), directory: URL? = nil,
        transform: (any DiskTransform)? = nil
    ) {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let parent = caches ?? FileManager.default.temporaryDirectory
        let url = directory ?? parent.appending(path: "org.alcedo.partial")
        folder = PartialFolder(
            path: url.path, byteLimit: byteLimit, expiration: expiration.seconds, transform: transform)
    }

    init(_ folder: PartialFolder) { self.folder = folder }

    /// Keeps bodies in a folder whose lookups may take any time.
    package convenience init(withoutTimeoutIn directory: URL) {
        self.init(
            PartialFolder(
                path: directory.path, byteLimit: 256 << 20, expiration: 86_400, timeout: { _, _ in {} }))
    }

    /// Blocks until all that has arrived is on disk.
    package func waitForDisk() { folder.queue.sync {} }

    /// Removes all bodies; returns when the disk has done so.
    public func removeAll() async {
        await withCheckedContinuation { done in
            folder.queue.async { [self] in
                folder.removeAll()
                done.resume()
            }
        }
    }
}

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
            // The network thread copies no body. One that can't be decoded once it is joined is loaded from its start.
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
