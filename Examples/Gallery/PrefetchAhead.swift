#if GTK
    import AlcedoGTK
    import Foundation

    /// Prefetches the photos that will be visible next.
    @MainActor
    final class PrefetchAhead {
        private let photos: [Photo]
        private var lastVisible = 0..<0
        private var prefetcher: ImagePrefetcher?

        init(photos: [Photo]) { self.photos = photos }

        /// Prefetches one screen in the scroll direction, and cancels the previous prefetch.
        func scrolled(to visible: Range<Int>, scale: CGFloat) {
            guard visible != lastVisible else { return }
            let ahead =
                visible.lowerBound >= lastVisible.lowerBound
                ? visible.upperBound..<visible.upperBound + visible.count
                : visible.lowerBound - visible.count..<visible.lowerBound
            lastVisible = visible
            prefetcher?.stop()
            prefetcher = ImagePrefetcher(
                resources: photos[ahead.clamped(to: photos.indices)].map(\.thumbnail),
                options: Thumbnail.options(scale: scale) + [.targetCache(KingfisherManager.shared.cache)]
            )
            prefetcher?.start()
        }
    }
#endif
