#if GTK
    import AlcedoGTK
    import Foundation

    /// What each sample looks like in a cell, made without the loader and its caches.
    @MainActor
    final class KnownPictures {
        private let folder: URL
        private let scale: CGFloat
        private var pictures: [String: Bitmap] = [:]

        init(folder: URL, scale: CGFloat) {
            self.folder = folder
            self.scale = scale
        }

        /// Makes the picture of each file that `photos` are served from.
        func make(for photos: [Photo]) {
            let names = Set(photos.map { $0.thumbnail.downloadURL.lastPathComponent })
            let options = KingfisherParsedOptionsInfo(Thumbnail.options(scale: scale))
            for name in names {
                let file = folder.appendingPathComponent("gallery").appendingPathComponent(name)
                guard let data = try? Data(contentsOf: file) else { continue }
                pictures[name] = try? options.processor.process(item: .data(data), options: options)?.bitmap()
            }
        }

        /// Whether an image is that of a photo: the same pixels, but for what a format may lose.
        func matches(_ image: KFCrossPlatformImage, _ photo: Photo) -> Bool {
            guard let known = pictures[photo.thumbnail.downloadURL.lastPathComponent],
                let shown = try? image.bitmap(), shown.size == known.size
            else { return false }
            if shown.hasSamePixels(as: known) { return true }
            let difference = known.withUnsafeBytes { known in
                shown.withUnsafeBytes { shown in
                    zip(known, shown).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                }
            }
            return difference < known.byteCount * 4
        }
    }
#endif
