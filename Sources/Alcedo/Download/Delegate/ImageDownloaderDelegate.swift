public import Foundation
public import FoundationNetworking

/// Observes, validates and changes downloads; every method has a default.
///
/// Called on threads of this downloader's delegate unless noted, which it may block; a slow delegate delays the loads of this
/// downloader only. See <doc:YourCode>.
public protocol ImageDownloaderDelegate: AnyObject {
    /// A transfer is about to start.
    ///
    /// If it is not queued and the load has other code that starts it, called on a thread for that, or on that of a call of the
    /// downloader.
    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?)

    /// A transfer has succeeded or failed.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    )

    /// The bytes are complete; returns those to decode, or nil to fail. By default calls the form with a URL.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask)
        -> Data?

    /// The bytes are complete; returns those to decode, or nil to fail. By default returns the same.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?

    /// The image is decoded and processed.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    )

    /// Whether a status is acceptable; by default 200 to 399 except 304, which has no body.
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool

    /// Whether to receive the body of a response; it is paused until this returns. By default `.allow`.
    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// Whether to receive the body of a response; the form with a completion handler, as Kingfisher 7 has it.
    ///
    /// Called by the asynchronous form unless that is implemented.
    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    )
}

extension ImageDownloaderDelegate {
    public func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
    ) {}

    public func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    ) {}

    public func imageDownloader(
        _ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask
    ) -> Data? {
        guard let url = task.originalURL else { return data }
        return imageDownloader(downloader, didDownload: data, for: url)
    }

    public func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?
    {
        data
    }

    public func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    ) {}

    public func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        (200..<400).contains(code) && code != 304
    }

    public func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        await awaitingHandler(.allow) { handler in
            imageDownloader(downloader, didReceive: response) { handler($0) }
        }
    }

    public func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }
}
