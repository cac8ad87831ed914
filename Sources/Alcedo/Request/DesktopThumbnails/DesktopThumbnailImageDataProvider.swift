import AlcedoCodecs
import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Provides the thumbnail of a local file that file managers and other programs of the desktop share.
///
/// Thumbnails are in `thumbnails` of the user's cache folder, as freedesktop.org's thumbnail specification says. One that is
/// missing or does not fit its file is created, and so available to other programs. If the file is damaged, that is
/// recorded there until it changes. The limits of the load apply, and with them its ``DecodeSandbox``.
///
/// The desktop keeps thumbnails already: load with the option `cacheMemoryOnly`. While memory has one, changes of its file go
/// unnoticed.
public struct DesktopThumbnailImageDataProvider: ImageDataProvider, FileImageDataProvider {
    /// The longer side in pixels, for which the specification has a folder each.
    public enum Size: Int, CaseIterable, Sendable {
        case normal = 128
        case large = 256
        case xLarge = 512
        case xxLarge = 1024

        var folder: String {
            switch self {
            case .normal: "normal"
            case .large: "large"
            case .xLarge: "x-large"
            case .xxLarge: "xx-large"
            }
        }
    }

    static var files: FileQueue { ThumbnailImageDataProvider.files }

    public let fileURL: URL
    public let size: Size

    /// Whether a missing thumbnail is created, as by default; otherwise the load fails.
    public var createsMissing: Bool

    public var cacheKey: String

    public var contentURL: URL? { fileURL }

    var folder = ThumbnailFolder.ofUser

    /// Creates a provider for one file; the default key is its URL and the size.
    public init(fileURL: URL, size: Size, createsMissing: Bool = true, cacheKey: String? = nil) {
        self.fileURL = fileURL
        self.size = size
        self.createsMissing = createsMissing
        self.cacheKey = cacheKey ?? "\(fileURL.absoluteString)_desktop_\(size.rawValue)"
    }

    /// Reads the thumbnail or one of a larger size, or creates it; within the default limits.
    ///
    /// Fails with a ``DesktopThumbnailError``, a ``CodecError`` if the file can't be decoded, or a ``TransportError`` with the path
    /// if the file can't be read or its file system has not responded for 15 s, or for the ``ImageDownloader/downloadTimeout`` of a
    /// load's downloader.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        dataWithinDefaults(handler: handler)
    }

    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation, files: FileQueue,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        let steps = FileLimits(seconds: timeout)
        let job = files.run(fileURL.filePath, limits: steps) { reading in
            .success(Result { try find(within: limits, reading) })
        } then: { found in
            WorkerPool.shared.finish(found) {
                guard !cancellation.isCancelled else { return handler(.failure(CancellationError())) }
                let outcome = Result { try found.get().get() }.map {
                    $0.finished { create(of: $0, $1, limits) }
                }
                guard case .success(let thumbnail) = outcome, let entry = thumbnail.entry else {
                    return handler(outcome.flatMap(\.data))
                }
                // Not on the worker pool, as reading. That it can't be kept is no failure.
                files.run(folder.path, limits: steps) { _ in
                    .success(cancellation.isCancelled ? () : folder.write(entry))
                } then: { _ in
                    handler(thumbnail.data)
                }
            }
        }
        cancellation.whenCancelled { job.cancel() }
    }

    /// What the folder has, or what a thumbnail can be created of.
    private enum Found: Sendable {
        case thumbnail(Data)
        case file(ThumbnailedFile, Data)

        func finished(_ create: (ThumbnailedFile, Data) -> Thumbnail) -> Thumbnail {
            switch self {
            case .thumbnail(let data): Thumbnail(data: .success(data))
            case .file(let file, let data): create(file, data)
            }
        }
    }

    /// A thumbnail, and what to keep of it.
    private struct Thumbnail: Sendable {
        let data: Result<Data, any Error>
        var entry: ThumbnailFolder.Entry?
    }

    private func find(within limits: DecodeLimits, _ reading: FileQueue.Reading) throws -> Found {
        let file = try ThumbnailedFile(fileURL)
        reading.progress()
        if folder.contains(file) {
            return .thumbnail(try LocalFile.read(file.path, limit: limits.encodedBytes, in: reading))
        }
        for size in Size.allCases where size.rawValue >= self.size.rawValue {
            if let thumbnail = folder.read(size.folder, of: file, reading, limits) {
                return .thumbnail(thumbnail)
            }
        }
        guard createsMissing else { throw DesktopThumbnailError.missing(file: file.path) }
        guard folder.read(ThumbnailFolder.failures, of: file, reading, limits) == nil else {
            throw DesktopThumbnailError.failedBefore(file: file.path)
        }
        return .file(file, try LocalFile.read(file.path, limit: limits.encodedBytes, in: reading))
    }

    /// Decodes a file.
    ///
    /// Only damage is recorded: limits, time-outs, missing memory and codecs say nothing about the bytes.
    private func create(of file: ThumbnailedFile, _ data: Data, _ limits: DecodeLimits) -> Thumbnail {
        do throws(CodecError) {
            let png = file.described(try thumbnail(of: data, within: limits))
            return Thumbnail(data: .success(png), entry: .init(folder: size.folder, file: file, data: png))
        } catch {
            var thumbnail = Thumbnail(data: .failure(error))
            if error.isCorruption {
                thumbnail.entry = .init(
                    folder: ThumbnailFolder.failures, file: file,
                    data: file.described(ThumbnailFolder.failure))
            }
            return thumbnail
        }
    }

    /// A PNG that is no larger than the image, unless that is a vector image.
    private func thumbnail(of data: Data, within limits: DecodeLimits) throws(CodecError) -> Data {
        var limits = limits
        limits.colorRetention = .standard
        let encoded = try EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true)
        let info = encoded.info
        let size = info.orientation.upright(info.size)
            .fitted(longerSide: Double(size.rawValue), enlarges: info.isScalable)
        return try Image(bitmap: encoded.decode(resizedTo: size)).data(as: .png)
    }
}

extension DesktopThumbnailImageDataProvider {
    /// Finds the largest thumbnail of a file, for a preview of it; calls `completion` on another thread, with nil if there is none.
    package static func find(
        of fileURL: URL, limits: DecodeLimits, then completion: @escaping @Sendable (Image?) -> Void
    ) {
        find(of: fileURL, in: .ofUser, limits: limits, then: completion)
    }

    static func find(
        of fileURL: URL, in folder: ThumbnailFolder, limits: DecodeLimits,
        then completion: @escaping @Sendable (Image?) -> Void
    ) {
        files.run(fileURL.filePath, limits: FileLimits(seconds: LocalFile.standardTimeout)) { reading in
            .success(
                (try? ThumbnailedFile(fileURL)).flatMap { file in
                    Size.allCases.reversed().lazy
                        .compactMap { folder.read($0.folder, of: file, reading, limits) }.first
                })
        } then: { (found: Result<Data?, TransportError>) in
            WorkerPool.shared.finish(found) {
                completion((try? found.get()).flatMap { try? Image(decoding: $0, limits: limits) })
            }
        }
    }
}

/// Why there is no thumbnail of a file.
@nonexhaustive
public enum DesktopThumbnailError: LocalizedError, Equatable {
    /// There is no such file.
    case noFile(String)
    /// The desktop has no thumbnail of the file, and the provider does not create one.
    case missing(file: String)
    /// The file is damaged, and has not changed since that was found.
    case failedBefore(file: String)

    public var errorDescription: String? {
        switch self {
        case .noFile(let path): "Could not find the file \(path.shown)."
        case .missing(let path):
            "The desktop has no thumbnail of \(path.shown). Set createsMissing to create one."
        case .failedBefore(let path):
            "Could not create a thumbnail of \(path.shown): it is damaged, and has not changed since that was found."
        }
    }
}
