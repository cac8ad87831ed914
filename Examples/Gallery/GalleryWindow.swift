#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets

    /// The window with its pages: the grid, the detail page and the cache page.
    @MainActor
    final class GalleryWindow {
        enum Page: String, CaseIterable {
            case gallery
            case detail
            case cache
        }

        let widget: Widget = gtk_window_new()
        let grid: PhotoGrid
        let detail: DetailPage

        private let pages: OpaquePointer
        private let cachePage: CachePage

        init(photos: [Photo], cache: ImageCache) {
            let stack: Widget = gtk_stack_new()
            let pages = OpaquePointer(stack)
            self.pages = pages
            let detail = DetailPage()
            self.detail = detail
            grid = PhotoGrid(photos: photos) { photo in
                gtk_stack_set_visible_child_name(pages, Page.detail.rawValue)
                detail.show(photo)
            }
            cachePage = CachePage(cache: cache)
            gtk_stack_add_titled(pages, grid.widget, Page.gallery.rawValue, "Gallery")
            gtk_stack_add_named(pages, detail.widget, Page.detail.rawValue)
            gtk_stack_add_titled(pages, cachePage.widget, Page.cache.rawValue, "Caches")
            gtk_stack_set_transition_type(pages, GTK_STACK_TRANSITION_TYPE_CROSSFADE)

            let switcher: Widget = gtk_stack_switcher_new()
            gtk_stack_switcher_set_stack(OpaquePointer(switcher), pages)
            let header: Widget = gtk_header_bar_new()
            gtk_header_bar_set_title_widget(OpaquePointer(header), switcher)
            let goBack = { @MainActor in gtk_stack_set_visible_child_name(pages, Page.gallery.rawValue) }
            let back = makeButton(icon: "go-previous-symbolic", "Back to the gallery", goBack)
            let name = makeLabel("Alcedo", class: "name")
            gtk_header_bar_pack_start(OpaquePointer(header), back)
            gtk_header_bar_pack_start(OpaquePointer(header), name)
            gtk_widget_set_visible(back, 0)
            onSignal("notify::visible-child", of: pages) { (_: gpointer?) in
                let isDetail = gtk_stack_get_visible_child(pages) == detail.widget
                gtk_widget_set_visible(back, isDetail ? 1 : 0)
            }

            onKeys("Escape|<Alt>Left", in: widget) { [grid] in
                guard gtk_stack_get_visible_child(pages) != grid.widget else { return false }
                goBack()
                return true
            }

            let window: UnsafeMutablePointer<GtkWindow> = widget.cast()
            gtk_window_set_title(window, "Alcedo gallery")
            gtk_window_set_titlebar(window, header)
            gtk_window_set_default_size(window, 1160, 800)
            gtk_window_set_child(window, stack)
            let adapt = { @MainActor [widget] in
                var (width, height): (Int32, Int32) = (0, 0)
                gtk_window_get_default_size(widget.cast(), &width, &height)
                let isNarrow = width < Self.narrow
                detail.setNarrow(isNarrow)
                gtk_widget_set_visible(name, isNarrow ? 0 : 1)
                gtk_header_bar_set_decoration_layout(OpaquePointer(header), isNarrow ? ":close" : nil)
            }
            adapt()
            // GTK sets it whenever the window has changed its size.
            onSignal("notify::default-width", of: widget) { (_: gpointer?) in adapt() }
        }

        /// The width in points below which the pages use one column, as on a phone.
        private static let narrow: Int32 = 700

        func present() { gtk_window_present(widget.cast()) }

        func show(_ page: Page) { gtk_stack_set_visible_child_name(pages, page.rawValue) }
    }
#endif
