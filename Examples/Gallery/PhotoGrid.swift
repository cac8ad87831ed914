#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// A scrolling grid of all photos.
    @MainActor
    final class PhotoGrid {
        let widget: Widget

        /// The scroll position in points.
        let adjustment: UnsafeMutablePointer<GtkAdjustment>

        private static let fewestColumns = 2

        let photos: [Photo]
        private let grid: Widget
        private let factory: CellFactory
        private let prefetch: PrefetchAhead

        /// Makes a grid; `chosen` is called with the clicked photo.
        init(photos: [Photo], chosen: @escaping @MainActor (Photo) -> Void) {
            self.photos = photos
            factory = CellFactory(photos: photos)
            prefetch = PrefetchAhead(photos: photos)

            let titles = gtk_string_list_new(nil)
            for photo in photos { gtk_string_list_append(titles, photo.title) }
            grid = gtk_grid_view_new(gtk_no_selection_new(titles), factory.handle)
            setAccessibleLabel("Photos", of: grid)
            gtk_grid_view_set_min_columns(OpaquePointer(grid), guint(Self.fewestColumns))
            gtk_grid_view_set_single_click_activate(OpaquePointer(grid), 1)

            widget = gtk_scrolled_window_new()
            gtk_scrolled_window_set_policy(
                OpaquePointer(widget), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
            gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
            gtk_widget_set_vexpand(widget, 1)
            adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(widget))

            // Later, as GTK emits it while it lays out the grid.
            onSignal(
                "changed", of: OpaquePointer(gtk_scrolled_window_get_hadjustment(OpaquePointer(widget)))
            ) { [weak self] in
                Task { self?.limitColumns() }
            }
            onPosition("activate", of: grid) { chosen(photos[$0]) }
            onSignal("value-changed", of: OpaquePointer(adjustment)) { [unowned self] in
                prefetch.scrolled(to: visible, scale: CGFloat(gtk_widget_get_scale_factor(widget)))
            }
        }

        /// The cells that are at least partly visible.
        var visibleCells: [PhotoCell] {
            factory.cells.values.filter { cell in
                var bounds = graphene_rect_t()
                guard cell.photo != nil, gtk_widget_get_mapped(cell.widget) != 0,
                    gtk_widget_compute_bounds(cell.widget, widget, &bounds) != 0
                else {
                    return false
                }
                let top = Double(bounds.origin.y)
                return top + Double(bounds.size.height) > 0 && top < Double(gtk_widget_get_height(widget))
            }
        }

        /// Allows no more columns than fit, because GTK lays out 30 rows of as many columns as are allowed: a frame takes 17 % less
        /// work of the main thread with 7 than with 24.
        private func limitColumns() {
            let most = max(Self.fewestColumns, Int(gtk_widget_get_width(grid)) / Int(Thumbnail.side))
            guard most != gtk_grid_view_get_max_columns(OpaquePointer(grid)) else { return }
            gtk_grid_view_set_max_columns(OpaquePointer(grid), guint(most))
        }

        /// The number of cells side by side, which all have the same width.
        private var columns: Int {
            guard let cell = gtk_widget_get_first_child(grid), gtk_widget_get_width(cell) > 0 else {
                return Self.fewestColumns
            }
            return max(1, Int(gtk_widget_get_width(grid) / gtk_widget_get_width(cell)))
        }

        /// The indices of the visible photos.
        private var visible: Range<Int> {
            let top = gtk_adjustment_get_value(adjustment)
            let height = gtk_adjustment_get_upper(adjustment)
            guard height > 0 else { return 0..<0 }
            let columns = columns
            let rows = (Double(photos.count) / Double(columns)).rounded(.up)
            let first = Int(top / height * rows)
            let last = Int(((top + gtk_adjustment_get_page_size(adjustment)) / height * rows).rounded(.up))
            return min(first * columns, photos.count)..<min(last * columns, photos.count)
        }
    }
#endif
