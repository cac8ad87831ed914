#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// The sizes of the caches, and buttons to clear them.
    @MainActor
    final class CachePage {
        let widget: Widget

        private let cache: ImageCache
        private let memory = Meter("Memory", "Decoded images")
        private let disk = Meter("Disk", "Original and processed images as files")
        private let origins = makeLabel(class: "quiet")

        init(cache: ImageCache) {
            self.cache = cache
            let buttons = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [])
            let page = makeBox(
                GTK_ORIENTATION_VERTICAL, spacing: 22, class: "page",
                [makeLabel("Caches", class: "title"), memory.widget, disk.widget, origins, buttons])
            gtk_widget_set_halign(page, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(page, GTK_ALIGN_CENTER)
            widget = page

            let clearMemory = makeButton("Clear memory") { [unowned self] in
                cache.clearMemoryCache()
                refresh()
            }
            let clearAll = makeButton("Clear everything") { [unowned self] in
                Task {
                    await cache.clearCache()
                    refresh()
                }
            }
            gtk_widget_add_css_class(clearAll, "destructive-action")
            for button in [clearMemory, clearAll] { gtk_box_append(buttons.cast(), button) }
            onSignal("map", of: page) { [unowned self] in refresh() }
        }

        /// Updates the sizes of the caches; reads the disk on another thread.
        func refresh() {
            memory.set(
                bytes: cache.memoryStorage.totalCacheCost(),
                limit: cache.memoryStorage.config.totalCostLimit)
            let limit = Int(cache.diskStorage.config.sizeLimit)
            Task {
                guard let bytes = try? await cache.diskStorageSize else { return }
                disk.set(bytes: Int(bytes), limit: limit)
            }
            let counter = LoadCounter.shared
            var parts = [CacheType.none, .disk, .memory].map { "\(counter.counts[$0] ?? 0) \($0.name)" }
            parts.append("\(counter.cancelled) scrolled away")
            origins.text = "Shown so far: " + parts.joined(separator: " · ")
        }
    }

    extension CacheType {
        /// The name to display.
        var name: String {
            switch self {
            case .none: "network"
            case .disk: "disk"
            case .memory: "memory"
            }
        }
    }
#endif
