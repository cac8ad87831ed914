#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// Makes, binds and recycles the cells of one `GtkListItemFactory`, which owns this object.
    @MainActor
    final class ImageCellFactory {
        typealias Show = @MainActor (Int, UnsafeMutableRawPointer, ImageView, ImageBinder) -> Void

        private let model: OpaquePointer
        private var modelSignals: Signals
        private let size: CGSize
        private let content: ImageCellContent
        private let makeView: @MainActor (any ViewSurface) -> ImageView
        private let show: Show
        private let prefetch: PrefetchAhead
        private var cells: [OpaquePointer: ImageCell] = [:]

        /// Whether an update waits for a frame, or, if ``idle`` is not 0, for the end of its layout.
        private var isUpdating = false
        private var idle: guint = 0

        init(
            model: OpaquePointer,
            size: CGSize,
            content: ImageCellContent,
            prefetchLimit: Int,
            makeView: @escaping @MainActor (any ViewSurface) -> ImageView,
            show: @escaping Show,
            settings: @escaping @MainActor (Int, UnsafeMutableRawPointer) -> KFImage.Settings
        ) {
            self.model = model
            self.size = size
            self.content = content
            self.makeView = makeView
            self.show = show
            prefetch = PrefetchAhead(limit: prefetchLimit) { position in
                guard let item = g_list_model_get_item(model, guint(position)) else { return nil }
                defer { g_object_unref(item) }
                let settings = settings(position, item)
                return settings.source.map { ImagePrefetcher($0, forViewWith: settings.options) }
            }
            g_object_ref(UnsafeMutableRawPointer(model))
            modelSignals = Signals(of: UnsafeMutableRawPointer(model))
            modelSignals.connect(change: "items-changed", Unmanaged.passUnretained(self).toOpaque()) {
                _, _, _, _, context in
                ImageCellFactory.call(context) { $0.itemsDidChange() }
            }
        }

        isolated deinit {
            if idle != 0 { g_source_remove(idle) }
            prefetch.stop()
            // Disconnects the old ones: the model may end here.
            modelSignals = Signals(of: UnsafeMutableRawPointer(model))
            g_object_unref(UnsafeMutableRawPointer(model))
        }

        /// A new `GtkListItemFactory` that retains this object.
        func makeFactory() -> OpaquePointer {
            guard let factory = gtk_signal_list_item_factory_new() else {
                preconditionFailure("gtk_signal_list_item_factory_new failed")
            }
            let object = UnsafeMutableRawPointer(factory)
            Signals.connect(object, detailed: "setup", owner: self) { _, item, context in
                ImageCellFactory.call(context, item) { $0.setUp($1) }
            }
            Signals.connect(object, detailed: "bind", owner: self) { _, item, context in
                ImageCellFactory.call(context, item) { $0.bind($1) }
            }
            Signals.connect(object, detailed: "unbind", owner: self) { _, item, context in
                ImageCellFactory.call(context, item) { $0.cells[$1]?.binder.unbind() }
            }
            Signals.connect(object, detailed: "teardown", owner: self) { _, item, context in
                ImageCellFactory.call(context, item) { factory, item in
                    gtk_list_item_set_child(item, nil)
                    // Released after the removal: the end of its tick reads `cells`.
                    let cell = factory.cells.removeValue(forKey: item)
                    withExtendedLifetime(cell) {}
                }
            }
            return factory
        }

        private func setUp(_ item: OpaquePointer) {
            let cell = ImageCell(makeView(PictureSurface()), size: size, content: content)
            cell.whenMapped(context: Unmanaged.passUnretained(self).toOpaque()) { widget, context in
                ImageCellFactory.call(context, widget) { factory, widget in
                    factory.observeClicks(on: UnsafeMutablePointer(widget))
                    factory.update()
                }
            }
            cell.binder.appeared = { [weak self] in self?.update() }
            cell.binder.ended = { [weak self] in self?.update() }
            cells[item] = cell
            gtk_list_item_set_child(item, cell.widget)
        }

        private func bind(_ item: OpaquePointer) {
            guard let cell = cells[item], let object = gtk_list_item_get_item(item) else { return }
            let position = Int(gtk_list_item_get_position(item))
            if let caption = content.caption {
                cell.show(caption(ImageListItem(position: position, object: object)))
            }
            show(position, object, cell.view, cell.binder)
            update()
        }

        /// Observes the list view that a cell has appeared in: clicks and the Enter key call the program's block.
        ///
        /// A list view has one connection, which refers to the factory whose cells it shows, as that may be replaced.
        private func observeClicks(on cell: UnsafeMutablePointer<GtkWidget>) {
            let grid = gtk_widget_get_ancestor(cell, gtk_grid_view_get_type())
            guard gtk_widget_get_mapped(cell) != 0,
                let view = grid ?? gtk_widget_get_ancestor(cell, gtk_list_view_get_type())
            else { return }
            let (object, name) = (UnsafeMutableRawPointer(view), "alcedo-clicks")
            let data = object.assumingMemoryBound(to: GObject.self)
            let connection = g_object_get_data(data, name).map {
                Unmanaged<Waiting>.fromOpaque($0).takeUnretainedValue()
            }
            guard connection?.waiter !== self, connection != nil || content.click != nil else { return }
            let activates: gboolean = content.click == nil ? 0 : 1
            if grid != nil {
                gtk_grid_view_set_single_click_activate(OpaquePointer(view), activates)
            } else {
                gtk_list_view_set_single_click_activate(OpaquePointer(view), activates)
            }
            if let connection { return connection.waiter = self }
            let new = Waiting(self)
            // The signal's connection retains it.
            g_object_set_data(data, name, Unmanaged.passUnretained(new).toOpaque())
            Signals.connect(object, position: "activate", owner: new) { _, position, context in
                Waiting.factory(context) { $0.click(at: position) }
            }
        }

        private func click(at position: guint) {
            guard let object = g_list_model_get_item(model, position) else { return }
            defer { g_object_unref(object) }
            content.click?(ImageListItem(position: Int(position), object: object))
        }

        private func itemsDidChange() {
            prefetch.stop()
            update()
        }

        private var visibleCells: [OpaquePointer: ImageCell] {
            cells.filter { gtk_widget_get_mapped($0.value.widget) != 0 }
        }

        /// Loads and prefetches for the visible cells, once for all changes of a frame and after its layout.
        ///
        /// What is queued in a frame's tick runs after its layout. Only a mapped cell gets ticks.
        private func update() {
            guard !isUpdating else { return }
            guard let cell = visibleCells.values.first else { return prefetch.stop() }
            isUpdating = true
            gtk_widget_add_tick_callback(
                cell.widget,
                { _, _, context in
                    Waiting.factory(context) { $0.updateWhenIdle() }
                    return 0
                },
                Unmanaged.passRetained(Waiting(self)).toOpaque(),
                { context in
                    Waiting.factory(context) { $0.tickDidEnd() }
                    if let context { Unmanaged<Waiting>.fromOpaque(context).release() }
                })
        }

        private func updateWhenIdle() {
            // Frames have a higher priority, so this runs after the layout of the one whose tick this is.
            idle = g_idle_add_full(
                gint(GDK_PRIORITY_REDRAW + 1),
                { context in
                    ImageCellFactory.call(context) { $0.updateNow() }
                    return 0
                },
                Unmanaged.passUnretained(self).toOpaque(), nil)
        }

        /// The cell's tick has run, or the cell was destroyed.
        private func tickDidEnd() {
            guard idle == 0, isUpdating else { return }
            isUpdating = false
            update()
        }

        private func updateNow() {
            (isUpdating, idle) = (false, 0)
            // Before the loads, which may call the program's blocks, which may change the model.
            let visible = visibleCells.map { (position: gtk_list_item_get_position($0), cell: $1) }
                .sorted { $0.position < $1.position }
            for (_, cell) in visible { cell.binder.startIfVisible() }
            guard let first = visible.first.map({ Int($0.position) }),
                let last = visible.last.map({ Int($0.position) })
            else { return prefetch.stop() }
            let count = Int(g_list_model_get_n_items(model))
            // A block of the program has changed the model: the positions are out of date.
            guard !isUpdating, last < count else { return update() }
            let isLoading = visible.contains { $0.cell.binder.isLoading }
            prefetch.move(to: first...last, count: count, loading: isLoading)
        }

        private nonisolated static func call(
            _ context: gpointer?, _ item: gpointer?,
            _ body: @MainActor (ImageCellFactory, OpaquePointer) -> Void
        ) {
            guard let item = item.map({ OpaquePointer($0) }) else { return }
            let address = UInt(bitPattern: item)
            call(context) { factory in
                if let item = OpaquePointer(bitPattern: address) { body(factory, item) }
            }
        }

        private nonisolated static func call(
            _ context: gpointer?, _ body: @MainActor (ImageCellFactory) -> Void
        ) {
            guard let context else { return }
            let factory = Unmanaged<ImageCellFactory>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { body(factory) }
        }

        /// The reference of a tick and of the list view, both of which may outlive the factory.
        private final class Waiting {
            weak var waiter: ImageCellFactory?

            init(_ waiter: ImageCellFactory) { self.waiter = waiter }

            static func factory(_ context: gpointer?, _ body: @MainActor (ImageCellFactory) -> Void) {
                guard let context else { return }
                let waiter = Unmanaged<Waiting>.fromOpaque(context).takeUnretainedValue().waiter
                MainActor.assumeIsolated { if let waiter { body(waiter) } }
            }
        }
    }
#endif
