#if GTK
    import AlcedoGTK
    import Foundation

    /// The expected bitmap of each sample in a cell, made without the loader and its caches.
    @MainActor
    final class ExpectedImages {
        private let folder: URL
        private let scale: CGFloat
        private var bitmaps: [String: Bitmap] = [:]

        init(folder: URL, scale: CGFloat) {
            self.folder = folder
            self.scale = scale
        }

        /// Makes the bitmap of each file that `photos` refer to.
        func make(for photos: [Photo]) {
            let names = Set(photos.map { $0.thumbnail.downloadURL.lastPathComponent })
            let options = KingfisherParsedOptionsInfo(Thumbnail.options(scale: scale))
            for name in names {
                let file = folder.appendingPathComponent("gallery").appendingPathComponent(name)
                guard let data = try? Data(contentsOf: file) else { continue }
                bitmaps[name] = try? options.processor.process(item: .data(data), options: options)?.bitmap()
            }
        }

        /// Whether an image matches a photo; tolerates lossy formats.
        func matches(_ image: KFCrossPlatformImage, _ photo: Photo) -> Bool {
            guard let expected = bitmaps[photo.thumbnail.downloadURL.lastPathComponent],
                let actual = try? image.bitmap(), actual.size == expected.size
            else { return false }
            if actual.hasSamePixels(as: expected) { return true }
            let difference = expected.withUnsafeBytes { expected in
                actual.withUnsafeBytes { actual in
                    zip(expected, actual).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                }
            }
            return difference < expected.byteCount * 4
        }
    }
#endif
