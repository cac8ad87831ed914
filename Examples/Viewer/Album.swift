import Alcedo
import Foundation

/// Pictures in an order, of which one is shown.
struct Album: Sendable {
    private(set) var urls: [URL] = []
    private var position = 0

    init(_ urls: [URL] = []) { self.urls = urls }

    var current: URL? { self[position] }
    var next: URL? { self[position + 1] }
    var previous: URL? { self[position - 1] }

    /// Those that may be shown next, the likelier one first.
    var neighbors: [URL] { [next, previous].compactMap(\.self) }

    mutating func move(by steps: Int) { if self[position + steps] != nil { position += steps } }

    private subscript(position: Int) -> URL? { urls.indices.contains(position) ? urls[position] : nil }

    /// Pictures as they are, and those of folders; for a single file also the other pictures of its folder.
    ///
    /// Reads folders: not for the main thread.
    init(opening urls: [URL]) {
        self.init(urls.flatMap { Self.pictures(in: $0) ?? [$0] })
        guard urls.count == 1, self.urls == urls, let url = urls.first, url.isFileURL else { return }
        let pictures = Self.pictures(in: url.deletingLastPathComponent()) ?? []
        // A picture whose name does not say that it is one is shown all the same.
        guard let position = pictures.firstIndex(where: { $0.lastPathComponent == url.lastPathComponent })
        else { return }
        (self.urls, self.position) = (pictures, position)
    }

    /// The pictures in a folder by their names, `2.jpg` before `10.jpg`; nil if it is none or cannot be read.
    private static func pictures(in folder: URL) -> [URL]? {
        guard folder.isFileURL else { return nil }
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return names?
            .filter { !$0.hasPrefix(".") && isPicture($0) }
            .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
            .map { folder.appending(path: $0, directoryHint: .notDirectory) }
    }

    private static func isPicture(_ name: String) -> Bool {
        guard let format = EncodedFormat(fileExtension: (name as NSString).pathExtension) else {
            return false
        }
        return format != .video
    }
}
