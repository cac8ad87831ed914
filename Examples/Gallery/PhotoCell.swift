#if GTK
    import AlcedoGTK
    import CGtk4
    import Foundation

    /// One cell of the grid, which shows one photo after the other as the grid is scrolled.
    @MainActor
    final class PhotoCell {
        /// Plays what is animated, a few decoded frames at a time.
        let view = AnimatedImageView()

        /// What the cell is to show; nil while it is not in use.
        private(set) var photo: Photo?

        /// Whether ``photo`` is what it shows.
        private(set) var isLoaded = false

        var widget: Widget { view.widget }

        init() {
            let side = Int32(Thumbnail.side)
            gtk_widget_set_size_request(widget, side, side)
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            gtk_widget_add_css_class(widget, "cell")
            view.kf.indicatorType = .activity
        }

        func show(_ photo: Photo) {
            self.photo = photo
            isLoaded = false
            view.kf.setImage(
                with: photo.thumbnail,
                placeholder: Thumbnail.placeholder,
                options: Thumbnail.options(scale: view.surface.scale)
            ) { [weak self] result in
                LoadCounter.shared.count(result)
                guard let self, case .success(let value) = result else { return }
                isLoaded = value.source.url == self.photo?.thumbnail.downloadURL
            }
        }

        /// Scrolled away: whatever still loads is not wanted any more.
        func clear() {
            photo = nil
            isLoaded = false
            view.kf.cancelDownloadTask()
            view.kf.setImage(with: Optional<URL>.none)
        }
    }
#endif
