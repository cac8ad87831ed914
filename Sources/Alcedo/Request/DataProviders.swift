import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Reads an image file.
public struct LocalFileImageDataProvider: ImageDataProvider, FileImageDataProvider {
    public let fileURL: URL
    public var cacheKey: String
    static var files: FileQueue { .files }

    /// Nil for the threads for files.
    private let loadingQueue: ExecutionQueue?

    var isReadByLibrary: Bool { loadingQueue == nil }

    /// Whether it was created for a file URL of a load, which an address policy may reject.
    let isResource: Bool

    /// Creates a provider for one file, which is read on one of the threads for files.
    ///
    /// A file system that hangs takes four of them, and the files of other folders and file systems go on being read.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - cacheKey: the key in the caches; nil for the URL's.
    public init(fileURL: URL, cacheKey: String? = nil) {
        self.init(fileURL: fileURL, cacheKey: cacheKey ?? fileURL.cacheKey, queue: nil, isResource: false)
    }

    /// Creates a provider for one file.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - cacheKey: the key in the caches; nil for the URL's.
    ///   - loadingQueue: the queue that reads the file; a file system that hangs blocks it.
    public init(fileURL: URL, cacheKey: String? = nil, loadingQueue: ExecutionQueue) {
        self.init(
            fileURL: fileURL, cacheKey: cacheKey ?? fileURL.cacheKey, queue: loadingQueue, isResource: false)
    }

    /// Creates a provider for the file URL of a load.
    init(resource url: URL, cacheKey: String) {
        self.init(fileURL: url, cacheKey: cacheKey, queue: nil, isResource: true)
    }

    private init(fileURL: URL, cacheKey: String, queue: ExecutionQueue?, isResource: Bool) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey
        loadingQueue = queue
        self.isResource = isResource
    }

    /// Reads the file on the loading queue, or on a thread for files.
    ///
    /// Fails with a `TransportError` with the path if the file is missing, unreadable or not regular, or if the URL has another
    /// host than `localhost`. Without a loading queue it fails so, too, when the file system has not responded for 15 s, or for the
    /// ``ImageDownloader/downloadTimeout`` of a load's downloader; at once if four other files there have waited for so long.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        dataWithinDefaults(handler: handler)
    }

    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        let read: @Sendable () -> Void = {
            data(
                limits: limits, timeout: timeout, cancellation: cancellation, files: Self.files,
                handler: handler)
        }
        // The program's queue may read on the thread of the call.
        if loadingQueue == nil { read() } else { ProgramThreads.providers.async(read) }
    }

    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation, files: FileQueue,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        let (path, limit) = (fileURL.filePath, limits.encodedBytes)
        let isLocal = ["", "localhost"].contains(fileURL.host?.lowercased() ?? "")
        if let loadingQueue {
            loadingQueue.execute { [fileURL] in
                handler(
                    Result {
                        guard isLocal else { throw Self.otherHost(fileURL) }
                        return try LocalFile.read(path, limit: limit)
                    })
            }
        } else if isLocal {
            let job = LocalFile.read(path, limit: limit, timeout: timeout, on: files) {
                handler($0.mapError { $0 })
            }
            cancellation.whenCancelled { job.cancel() }
        } else {
            files.async { [fileURL] in handler(.failure(Self.otherHost(fileURL))) }
        }
    }

    private static func otherHost(_ url: URL) -> TransportError {
        .invalidURL(url.absoluteString, reason: "the file is on another host")
    }

    public var data: Data {
        get async throws { try await data(within: DecodeLimits(), timeout: LocalFile.standardTimeout) }
    }

    public var contentURL: URL? { fileURL }
}

/// Decodes an image from Base64 text (RFC 4648).
public struct Base64ImageDataProvider: ImageDataProvider {
    /// The text, without a `data:` prefix.
    public let base64String: String

    public var cacheKey: String

    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text; characters outside the alphabet, such as line ends, are skipped.
    public func data(handler: (Result<Data, any Error>) -> Void) {
        handler(Result { try bytes(within: DecodeLimits()) })
    }
}

extension Base64ImageDataProvider: DecodingImageDataProvider {
    func bytes(within limits: DecodeLimits) throws -> Data {
        guard let data = Data(base64Encoded: base64String, options: .ignoreUnknownCharacters) else {
            throw CocoaError(.coderInvalidValue)
        }
        return data
    }
}

/// Provides bytes from memory.
public struct RawImageDataProvider: ImageDataProvider {
    public let data: Data
    public var cacheKey: String

    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls the handler with the bytes before it returns.
    public func data(handler: @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}

extension RawImageDataProvider: LimitedImageDataProvider {
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) { handler(.success(data)) }
}
