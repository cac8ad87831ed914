public import Foundation

/// Asynchronous forms of the callback method, which they call; overriding that changes these too.
///
/// Cancelling the calling task cancels its load. Each throws a ``KingfisherError``, or a
/// `CancellationError` if the task was cancelled before the call.
extension ImageDownloader {
    /// Downloads and processes an image.
    public func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageLoadingResult {
        var options = options
        options.callbackQueue = .untouch
        options.context.completionMayBlock = false
        return try await awaitCompletion(on: options.threadsOfDownload(by: self)) { [self, options] finish in
            downloadImage(with: url, options: options, completionHandler: finish)
        }
    }

    /// Downloads and processes an image, reporting progress on the main thread.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> ImageLoadingResult {
        var options = KingfisherParsedOptionsInfo(options)
        options.context.progress = ProgressCallback(progressBlock)
        return try await downloadImage(with: url, options: options)
    }

    /// Downloads and processes an image.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: KingfisherParsedOptionsInfo(options))
    }
}
