#if GTK
    import Alcedo
    import CGtk4
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
            let urls = urls.map { File($0)?.url ?? $0 }
            self.init(urls.flatMap { File($0)?.pictures ?? [$0] })
            guard urls.count == 1, self.urls == urls, let url = urls.first else { return }
            let pictures = File(url)?.folder?.pictures ?? []
            // A picture whose name does not say that it is one is shown all the same.
            guard let position = pictures.firstIndex(of: url) else { return }
            (self.urls, self.position) = (pictures, position)
        }
    }
#endif
