#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// One cell of the grid; reused for other photos while the grid scrolls.
    @MainActor
    final class PhotoCell {
        /// Plays animations with a few decoded frames at a time.
        let view = AnimatedImageView()

        /// The cell's photo; nil while the cell is not in use.
        private(set) var photo: Photo?

        /// Whether ``photo`` is loaded.
        private(set) var isLoaded = false

        /// The picture above its title.
        let widget: Widget

        private let caption = makeLabel(class: "caption")

        /// Shown after a failure.
        private let again: Widget = gtk_button_new_from_icon_name("view-refresh-symbolic")

        init() {
            // An overlay does not measure what is over its child: the cell has the same size with every image.
            let side = Int32(Thumbnail.side)
            let space = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, class: "card", [])
            gtk_widget_set_size_request(space, side, side)
            let frame: Widget = gtk_overlay_new()
            gtk_overlay_set_child(OpaquePointer(frame), space)
            gtk_overlay_add_overlay(OpaquePointer(frame), view.widget)
            name(again, "Load again")
            gtk_widget_set_halign(again, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(again, GTK_ALIGN_CENTER)
            gtk_widget_set_visible(again, 0)
            gtk_overlay_add_overlay(OpaquePointer(frame), again)
            view.showAtMostNaturalSize()
            gtk_label_set_width_chars(OpaquePointer(caption), 1)
            gtk_label_set_max_width_chars(OpaquePointer(caption), 1)
            gtk_label_set_xalign(OpaquePointer(caption), 0.5)
            widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 6, [frame, caption])
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            view.kf.indicatorType = .activity
            onSignal("clicked", of: again) { [weak self] in self?.load() }
            onSignal("map", of: widget) { [weak self] in self?.load() }
            onSignal("unmap", of: widget) { [weak self] in self?.cancel() }
        }

        /// Sets the photo, which loads once the cell is mapped, because GTK binds cells long before they are visible.
        func show(_ photo: Photo) {
            self.photo = photo
            isLoaded = false
            caption.text = photo.title
            view.accessibilityLabel = photo.title
            clearImage()
            if gtk_widget_get_mapped(widget) != 0 { load() }
        }

        func clear() {
            cancel()
            photo = nil
            isLoaded = false
            clearImage()
        }

        private func clearImage() {
            view.image = nil
            gtk_widget_set_visible(again, 0)
        }

        private func load() {
            guard let photo, !isLoaded else { return }
            gtk_widget_set_visible(again, 0)
            view.kf.setImage(
                with: photo.thumbnail,
                options: Thumbnail.options(scale: view.surface.scale)
            ) { [weak self] result in
                LoadCounter.shared.count(result)
                guard let self else { return }
                switch result {
                case .success(let value): isLoaded = value.source.url == self.photo?.thumbnail.downloadURL
                case .failure(let error) where error.isTaskCancelled || error.isNotCurrentTask: break
                case .failure: gtk_widget_set_visible(again, 1)
                }
            }
        }

        /// Cancels the load of a cell that was scrolled away.
        private func cancel() { view.kf.cancelDownloadTask() }
    }
#endif
