#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// One large photo, loaded progressively, with selectable effects.
    @MainActor
    final class DetailPage {
        let widget: Widget
        let view = AnimatedImageView()

        private let title = makeLabel(class: "title")
        private let state = makeLabel(class: "quiet")
        private let progress: Widget = gtk_progress_bar_new()
        private var effects: Set<Effect> = []
        private var photo: Photo?

        private static let size = CGSize(width: 1400, height: 1400)

        init() {
            setAccessibleLabel("Received", of: progress)
            gtk_widget_set_hexpand(view.widget, 1)
            gtk_widget_set_vexpand(view.widget, 1)
            view.widget.setMargins(24)
            view.showAtMostNaturalSize()
            let panel = makeBox(
                GTK_ORIENTATION_VERTICAL, spacing: 14, class: "panel", [title, state, progress])
            gtk_widget_set_size_request(panel, 264, -1)
            widget = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 0, [view.widget, panel])

            gtk_box_append(panel.cast(), makeLabel("Processors", class: "heading"))
            for effect in Effect.allCases {
                gtk_box_append(panel.cast(), makeSwitch(effect.title) { [unowned self] in set(effect, $0) })
            }
            let again = makeButton("Load again") { [unowned self] in load(refresh: true) }
            gtk_widget_set_vexpand(again, 1)
            gtk_widget_set_valign(again, GTK_ALIGN_END)
            gtk_box_append(panel.cast(), again)
        }

        /// Puts the panel below the image, or beside it.
        func setNarrow(_ isNarrow: Bool) {
            gtk_orientable_set_orientation(
                OpaquePointer(widget), isNarrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
        }

        func show(_ photo: Photo) {
            self.photo = photo
            title.text = photo.title
            view.accessibilityLabel = photo.title
            view.image = nil
            load(refresh: false)
        }

        private func set(_ effect: Effect, _ isOn: Bool) {
            if isOn { effects.insert(effect) } else { effects.remove(effect) }
            load(refresh: false)
        }

        private func load(refresh: Bool) {
            guard let photo else { return }
            var options: KingfisherOptionsInfo = [
                .processor(Effect.processor(for: effects, size: Self.size)),
                .cacheOriginalImage,
                .progressiveJPEG(ImageProgressive()),
                .transition(.fade(0.3)), .forceTransition,
            ]
            options += refresh ? [.forceRefresh] : [.keepCurrentImageWhileLoading]
            state.text = "Loading …"
            view.kf.setImage(
                with: photo.large,
                options: options,
                progressBlock: { [weak self] received, total in
                    // The progress block runs on the main thread.
                    MainActor.assumeIsolated { self?.showProgress(Double(received) / Double(max(total, 1))) }
                },
                completionHandler: { [weak self] in self?.finished($0) }
            )
        }

        private func showProgress(_ fraction: Double) {
            gtk_progress_bar_set_fraction(OpaquePointer(progress), fraction)
            state.text = "\(Int(fraction * 100)) % received"
        }

        private func finished(_ result: Result<RetrieveImageResult, KingfisherError>) {
            switch result {
            case .success(let value):
                gtk_progress_bar_set_fraction(OpaquePointer(progress), 1)
                let size = value.image.pixelSize
                state.text = "\(size.width) × \(size.height), from the \(value.cacheType.name)"
            case .failure(let error) where error.isNotCurrentTask || error.isTaskCancelled: break
            case .failure(let error): state.text = error.localizedDescription
            }
        }
    }
#endif
