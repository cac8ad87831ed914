import Alcedo
import Foundation

/// Responds to `/pictures/NAME?size=PIXELS` with a picture of a folder, as a JPEG whose longer side has that size.
struct PictureEndpoint: Sendable {
    let folder: URL
    let sizes = [160, 320, 640, 1280]
    var manager = KingfisherManager.shared

    func respond(to request: URLComponents) async -> Response {
        let parts = request.path.split(separator: "/")
        guard parts.count == 2, parts[0] == "pictures", !parts[1].hasPrefix(".") else {
            return text("404 Not Found", "The pictures are at /pictures/NAME.")
        }
        let file = folder.appendingPathComponent(String(parts[1]))
        guard FileManager.default.fileExists(atPath: file.path) else {
            return text("404 Not Found", "There is no picture \(parts[1]).")
        }
        let size = request.queryItems?.first { $0.name == "size" }?.value.flatMap { Int($0) }
        guard let size, sizes.contains(size) else {
            return text("400 Bad Request", "size must be one of \(sizes).")
        }
        return await picture(file, size: size)
    }

    private func picture(_ file: URL, size: Int) async -> Response {
        let provider = LocalFileImageDataProvider(fileURL: file, cacheKey: cacheKey(of: file))
        let processor = DownsamplingImageProcessor(size: CGSize(width: size, height: size))
        do {
            let result = try await manager.retrieveImage(
                with: .provider(provider),
                options: [.processor(processor), .cacheSerializer(FormatIndicatedCacheSerializer.jpeg)])
            return Response(
                headers: [
                    "Cache-Control": "public, max-age=3600",
                    "Content-Type": EncodedFormat.jpeg.mediaType,
                    "X-Cache": "\(result.cacheType)",
                ],
                body: try result.image.data(as: .jpeg))
        } catch {
            print("\(file.path): \(error.localizedDescription)")
            return text("422 Unprocessable Content", "This picture cannot be shown.")
        }
    }

    /// Another one once the file has changed.
    private func cacheKey(of file: URL) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let date = attributes?[.modificationDate] as? Date ?? .distantPast
        return "\(file.path) \(date.timeIntervalSince1970)"
    }

    private func text(_ status: String, _ text: String) -> Response {
        Response(status: status, headers: ["Content-Type": "text/plain"], body: Data("\(text)\n".utf8))
    }
}
