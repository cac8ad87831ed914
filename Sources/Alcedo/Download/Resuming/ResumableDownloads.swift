public import Foundation

/// Keeps the bodies of downloads that broke off, so that the next load of the URL requests only the rest.
///
/// Set it as a downloader's ``ImageDownloader/resumableDownloads``. Downloaders may share it, and processes a folder.
///
/// A body is kept if 64 KiB or more of it have arrived and the server sent its length and a strong validator: an `ETag` that
/// does not begin with `W/`, or without one a `Last-Modified` date. Bodies of responses that forbid storing, of compressed
/// responses and of requests with a credential or cookies are not kept.
public final class ResumableDownloads: Sendable {
    let folder: PartialFolder

    /// Keeps bodies in a folder, which is made when the first one is stored.
    ///
    /// - Parameters:
    ///   - byteLimit: the limit on disk in bytes, 256 MiB by default. The oldest bodies are removed beyond it; a body that is
    ///     longer is not kept.
    ///   - expiration: the time from the last byte of a body until it is removed, in seconds; a day by default.
    ///   - directory: the folder; nil for `org.alcedo.partial` in the user's caches folder.
    ///   - transform: changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``. A body that
    ///     it can't restore is removed.
    public init(
        byteLimit: Int = 256 << 20, expiration: TimeInterval = 86_400, directory: URL? = nil,
        transform: (any DiskTransform)? = nil
    ) {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let parent = caches ?? FileManager.default.temporaryDirectory
        let url = directory ?? parent.appending(path: "org.alcedo.partial")
        folder = PartialFolder(
            path: url.path, byteLimit: byteLimit, expiration: expiration, transform: transform)
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
