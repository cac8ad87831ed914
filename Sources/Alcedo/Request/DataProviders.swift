import AlcedoTransport
public import Foundation

/// Reads an image file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL

    /// The key in the caches.
    public var cacheKey: String

    /// Nil for ``readers``.
    private let loadingQueue: ExecutionQueue?

    /// Whether it was created for a file URL of a load, which an address policy may reject.
    let isResource: Bool

    /// Creates a provider for one file, which is read on one of four threads for files.
    ///
    /// On a stalled disk each read blocks one of them, and no thread of Swift's tasks, as one on a global queue would.
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
    ///   - loadingQueue: the queue that reads the file.
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

    private static let readers = BoundedQueue(label: "alcedo.files", width: 4)

    /// Reads the file on the loading queue, or on a thread for files.
    ///
    /// Fails with a `TransportError` with the path if the file is missing, unreadable or not regular, or if the URL has another
    /// host than `localhost`.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        let read: @Sendable () -> Void = { [fileURL] in
            handler(
                Result {
                    guard ["", "localhost"].contains(fileURL.host?.lowercased() ?? "") else {
                        throw TransportError.invalidURL(
                            fileURL.absoluteString, reason: "the file is on another host")
                    }
                    return try LocalFile.read(fileURL.path, limit: DecodeLimits().encodedBytes)
                })
        }
        if let loadingQueue { loadingQueue.execute(read) } else { Self.readers.async(read) }
    }

    /// The file's bytes.
    public var data: Data {
        get async throws {
            let outcome = OneShot<Data, any Error>()
            data { outcome.finish($0) }
            return try await outcome.value()
        }
    }

    /// The file.
    public var contentURL: URL? { fileURL }
}

/// Decodes an image from Base64 text (RFC 4648).
public struct Base64ImageDataProvider: ImageDataProvider {
    /// The text, without a `data:` prefix.
    public let base64String: String

    /// The key in the caches.
    public var cacheKey: String

    /// Makes a provider for one text.
    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text; characters outside the alphabet, such as line ends, are skipped.
    public func data(handler: (Result<Data, any Error>) -> Void) {
        guard let data = Data(base64Encoded: base64String, options: .ignoreUnknownCharacters) else {
            return handler(.failure(CocoaError(.coderInvalidValue)))
        }
        handler(.success(data))
    }
}

/// Provides bytes from memory.
public struct RawImageDataProvider: ImageDataProvider {
    /// The bytes.
    public let data: Data

    /// The key in the caches.
    public var cacheKey: String

    /// Creates a provider of bytes.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls the handler with the bytes before it returns.
    public func data(handler: @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}
