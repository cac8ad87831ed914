public import Foundation
public import FoundationNetworking

/// Watches, checks and changes what a downloader does; every method has a default.
///
/// Called on threads for this downloader's delegate unless noted; one that takes its time holds back the loads of this
/// downloader alone.
public protocol ImageDownloaderDelegate: AnyObject {
    /// A transfer is about to begin. Called on the thread that asked for it.
    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?)

    /// A transfer is over, well or not.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    )

    /// The bytes have come; returns those to go on with, or nil to fail. By default asks the form with a URL.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask)
        -> Data?

    /// The bytes have come; returns those to go on with, or nil to fail. By default the same.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?

    /// The image has been made.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    )

    /// Whether a status is acceptable; by default 200 to 399, but not 304, which has no body to show.
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool

    /// Whether to go on after the response's head; the body waits for the answer. By default `.allow`.
    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition
}

extension ImageDownloaderDelegate {
    /// Does nothing.
    public func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
    ) {}

    /// Does nothing.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    ) {}

    /// Asks the form with a URL.
    public func imageDownloader(
        _ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask
    ) -> Data? {
        guard let url = task.originalURL else { return data }
        return imageDownloader(downloader, didDownload: data, for: url)
    }

    /// The same bytes.
    public func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?
    {
        data
    }

    /// Does nothing.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    ) {}

    /// Whether `code` is from 200 to 399, but not 304.
    public func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        (200..<400).contains(code) && code != 304
    }

    /// `.allow`.
    public func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        .allow
    }
}
