import AlcedoTransport
public import Foundation

/// Provides a frame of a local video file.
///
/// It is the frame that is shown at the time: the last one that starts by then, exactly. It is upright and has square pixels. Its
/// bytes are a JPEG, or a PNG if a pixel is transparent. <doc:Formats#Show-a-frame-of-a-video> lists the files.
///
/// The frame is always decoded in a worker process, whatever ``DecodeIsolation`` says, and so needs the helper program
/// `alcedo-decode-video`. The limits of the load apply; ``DecodeLimits/encodedBytes`` to the JPEG or PNG,
/// not to the video, which is not read whole.
public struct AVAssetImageDataProvider: ImageDataProvider, LimitedImageDataProvider {
    /// The video, a file URL.
    public let assetURL: URL

    /// The time of the frame in seconds from the start of the video.
    public let seconds: TimeInterval

    /// The quality of the JPEG: without artefacts of its own.
    private static let quality = 0.95

    /// Creates a provider for one frame.
    ///
    /// - Parameters:
    ///   - assetURL: the video. Only file URLs work; a video on the network has to be downloaded first.
    ///   - seconds: the time in seconds from the start; not rounded.
    public init(assetURL: URL, seconds: TimeInterval) {
        self.assetURL = assetURL
        self.seconds = seconds
    }

    /// The key in the caches: that of the URL and the time.
    public var cacheKey: String { "\(assetURL.cacheKey)_\(seconds)" }

    /// The video.
    public var contentURL: URL? { assetURL }

    /// Decodes the frame on a thread of the worker pool, within the default limits.
    ///
    /// Fails with a ``TransportError`` if the file can't be read or the URL is no file's, and with a ``CodecError`` otherwise:
    /// ``CodecError/noFrame(at:duration:)`` if the video is shorter.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        data(limits: DecodeLimits(), cancellation: Cancellation(), handler: handler)
    }

    func data(
        limits: DecodeLimits, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        WorkerPool.shared.submit {
            guard !cancellation.isCancelled else { return handler(.failure(CancellationError())) }
            handler(Result { try frame(limits: limits) })
        }
    }

    private func frame(limits: DecodeLimits) throws -> Data {
        guard assetURL.isFileURL, ["", "localhost"].contains(assetURL.host?.lowercased() ?? "") else {
            throw TransportError.invalidURL(
                assetURL.absoluteString,
                reason: "frames are taken of local files only; download the video first")
        }
        let options = DecodeOptions {
            $0.time = seconds
            $0.keepsStraightAlpha = true
            $0.limits = limits
        }
        let bitmap = try LocalFile.withDescriptor(of: assetURL.path) {
            try videoFrames.decode($0, options: options)
        }
        guard bitmap.alpha == .opaque else { return Data(try codecs.encode(bitmap, as: .png)) }
        return Data(
            try codecs.encode(bitmap, as: .jpeg, options: EncodeOptions { $0.quality = Self.quality }))
    }
}
