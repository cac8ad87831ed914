import FoundationNetworking

/// A server or a proxy that a downloader is asked about.
///
/// Safe because it never changes.
final class AskingSpace: URLProtectionSpace, @unchecked Sendable {
    weak var downloader: ImageDownloader?
}
