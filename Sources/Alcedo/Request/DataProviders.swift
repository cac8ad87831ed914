import AlcedoTransport
public import Dispatch
public import Foundation

/// Reads an image file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL

    /// Names the image in the caches.
    public var cacheKey: String

    private let loadingQueue: ExecutionQueue

    /// Whether it stands for a URL that was to be loaded, which an address policy may forbid.
    let isResource: Bool

    /// Makes a provider for one file.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - cacheKey: a key in place of the URL's own.
    ///   - loadingQueue: where the file is read; a global queue by default.
    public init(
        fileURL: URL,
        cacheKey: String? = nil,
        loadingQueue: ExecutionQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
    ) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey ?? fileURL.cacheKey
        self.loadingQueue = loadingQueue
        isResource = false
    }

    /// A few threads for all file URLs: on a disk that hangs, each file keeps the thread that reads it.
    private static let resourceReaders = BoundedQueue(label: "alcedo.files", width: 4)

    /// What reads a file URL that was given as something to load.
    init(resource url: URL, cacheKey: String) {
        fileURL = url
        self.cacheKey = cacheKey
        loadingQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
        isResource = true
    }

    /// Reads the file on the loading queue.
    ///
    /// Fails with a `TransportError` that names the path if it is missing, unreadable or no regular file, and for a URL that
    /// names another host's file.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        let read: @Sendable () -> Void = { [fileURL] in
            handler(
                Result {
                    guard ["", "localhost"].contains(fileURL.host?.lowercased() ?? "") else {
                        throw TransportError.invalidURL(
                            fileURL.absoluteString, reason: "it names a file on another host")
                    }
                    return try LocalFile.read(fileURL.path, limit: DecodeLimits().encodedBytes)
                })
        }
        if isResource { Self.resourceReaders.async(read) } else { loadingQueue.execute(read) }
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

    /// Names the image in the caches.
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

/// Hands over bytes that are in memory already.
public struct RawImageDataProvider: ImageDataProvider {
    /// The bytes.
    public let data: Data

    /// Names the image in the caches.
    public var cacheKey: String

    /// Makes a provider for some bytes.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Hands over the bytes at once.
    public func data(handler: @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}
