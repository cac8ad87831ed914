import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Provides a frame of a video: a local file, or one at an http URL.
///
/// It is the frame that is shown at the time: the last one that starts by then, exactly. It is upright and has square pixels. Its
/// bytes are a JPEG, or a PNG if a pixel is transparent. <doc:Formats#Show-a-frame-of-a-video> lists the files.
///
/// The frame is always decoded in a worker process, whatever ``DecodeSandbox`` says, and so needs the worker program
/// `alcedo-decode-video`. The limits of the load apply; ``DecodeLimits/encodedBytes`` to the JPEG or PNG,
/// not to the video, which is not read whole.
///
/// Of a video at an http URL the parts are loaded that the frame needs, by requests with `Range`: at most 64, of 64 MiB in all,
/// with the load's downloader and request modifier. A server without ranges has to send the whole file, within the same limit.
/// A file whose tag or date changes meanwhile is an error.
public struct AVAssetImageDataProvider: ImageDataProvider, FileImageDataProvider {
    public let assetURL: URL
    public let seconds: TimeInterval

    /// Wait for files and worker processes; as many as there are processes, but not so many that Dispatch has none left for
    /// others when they hang.
    ///
    /// Not those for files, because a frame takes longer than a read, and not the worker pool's: another process decodes, and a
    /// file system that hangs would take the threads of all images.
    static let files = FileQueue(
        label: "alcedo.videos", width: min(WorkerPool.shared.threadCount, 8),
        mostThreads: min(4 * WorkerPool.shared.threadCount, 64))

    /// Creates a provider for one frame.
    ///
    /// - Parameters:
    ///   - assetURL: the video: a file, http or https URL.
    ///   - seconds: the time in seconds from the start; not rounded.
    public init(assetURL: URL, seconds: TimeInterval) {
        self.assetURL = assetURL
        self.seconds = seconds
    }

    /// The key in the caches: that of the URL and the time.
    public var cacheKey: String { "\(assetURL.cacheKey)_\(seconds)" }

    public var contentURL: URL? { assetURL }

    /// Decodes the frame in a worker process, within the default limits, and encodes it on a thread of the worker pool.
    ///
    /// Outside of a load, ``ImageDownloader/default`` loads a video at an http URL.
    ///
    /// Fails with a ``TransportError`` if the file can't be opened or the URL is no file's, and with a ``CodecError`` otherwise:
    /// ``CodecError/noFrame(at:duration:)`` if the video is shorter. The file system has 15 s to open the file, or the
    /// ``ImageDownloader/downloadTimeout`` of a load's downloader; after that, ``DecodeLimits/seconds`` applies.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        dataWithinDefaults(handler: handler)
    }

    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation, files: FileQueue,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        guard !cancellation.isCancelled else { return handler(.failure(CancellationError())) }
        guard !isRemote else {
            var options = KingfisherParsedOptionsInfo(nil)
            options.decodeLimits = limits
            let task = Task { [options] in
                do {
                    handler(.success(try await data(from: .default, options: options)))
                } catch {
                    handler(.failure(error))
                }
            }
            return cancellation.whenCancelled { task.cancel() }
        }
        guard assetURL.isFileURL, ["", "localhost"].contains(assetURL.host?.lowercased() ?? "") else {
            let error = TransportError.invalidURL(
                assetURL.absoluteString,
                reason: "frames are taken of local files and of http URLs; download the video first")
            return files.async { handler(.failure(error)) }
        }
        let path = assetURL.filePath
        let job = files.run(path, limits: FileLimits(seconds: timeout)) { reading in
            do throws(TransportError) {
                return .success(
                    try LocalFile.withDescriptor(of: path) { file in
                        // It may wait for a process, whose time is limited by itself.
                        reading.calling { frame(of: file, limits: limits) }
                    })
            } catch {
                return .failure(error)
            }
        } then: { frame in
            WorkerPool.shared.finish(frame) {
                handler(Result { try VideoFrame.encoded(try frame.get().get()) })
            }
        }
        cancellation.whenCancelled { job.cancel() }
    }

    /// Whether the video is at an http URL.
    var isRemote: Bool { ["http", "https"].contains(assetURL.scheme?.lowercased() ?? "") }

    /// The bytes of the frame of a video at an http URL, of which `downloader` loads parts.
    func data(
        from downloader: ImageDownloader, options: KingfisherParsedOptionsInfo
    ) async throws -> Data {
        let video = RemoteVideo(url: assetURL, seconds: seconds, downloader: downloader, options: options)
        let frame = try await video.frame()
        let result = OneShot<Data, any Error>()
        WorkerPool.shared.submit(priority: options.downloadPriority) {
            result.finish(Result { try VideoFrame.encoded(frame) })
        }
        return try await result.value()
    }

    private func frame(of file: Int32, limits: DecodeLimits) -> Result<Bitmap, CodecError> {
        let options = DecodeOptions {
            $0.time = seconds
            $0.keepsStraightAlpha = true
            $0.limits = limits
        }
        return Result { () throws(CodecError) in try videoFrames.decode(file, options: options) }
    }
}
