import Alcedo
import Foundation
import Glibc

/// A process that is killed in the middle of a download, or writes what it has loaded beside the folder.
struct DownloadTrial {
    let url: String
    let folder: String
    let bytes: Int

    func run() async throws {
        let downloads = ResumableDownloads(withoutTimeoutIn: URL(fileURLWithPath: folder))
        let downloader = ImageDownloader(name: "trial")
        downloader.downloadTimeout = 120
        downloader.resumableDownloads = downloads
        downloader.sessionDelegate = Killer(after: bytes, downloads)
        guard let url = URL(string: url) else { return print("no URL") }
        let result = try await downloader.downloadImage(with: url)
        try result.originalData.write(to: URL(fileURLWithPath: folder + ".image"))
        downloads.waitForDisk()
    }
}

/// Kills the process once so many bytes have arrived.
///
/// Safe because its state is only used by calls in order.
private final class Killer: SessionDelegate, @unchecked Sendable {
    private let bytes: Int
    private let downloads: ResumableDownloads
    private var received = 0

    init(after bytes: Int, _ downloads: ResumableDownloads) {
        self.bytes = bytes
        self.downloads = downloads
    }

    override func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received += data.count
        guard received >= bytes else { return }
        // What has been handed to the disk may take its time, but is not lost by a kill once it was written.
        downloads.waitForDisk()
        kill(getpid(), SIGKILL)
    }
}
