#if GTK
    import AlcedoGTK
    import Foundation

    /// Loads what will be scrolled into sight next.
    @MainActor
    final class PrefetchAhead {
        private let photos: [Photo]
        private var seen = 0..<0
        private var prefetcher: ImagePrefetcher?

        init(photos: [Photo]) { self.photos = photos }

        /// Loads one screen more in the direction of the scrolling; what was wanted before is given up.
        func scrolled(to visible: Range<Int>, scale: CGFloat) {
            guard visible != seen else { return }
            let ahead =
                visible.lowerBound >= seen.lowerBound
                ? visible.upperBound..<visible.upperBound + visible.count
                : visible.lowerBound - visible.count..<visible.lowerBound
            seen = visible
            prefetcher?.stop()
            prefetcher = ImagePrefetcher(
                resources: photos[ahead.clamped(to: photos.indices)].map(\.thumbnail),
                options: Thumbnail.options(scale: scale) + [.targetCache(KingfisherManager.shared.cache)]
            )
            prefetcher?.start()
        }
    }
#endif
