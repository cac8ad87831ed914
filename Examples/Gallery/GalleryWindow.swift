#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets

    /// The window with its pages: the grid, the detail page, those of the sample server and the cache page.
    @MainActor
    final class GalleryWindow {
        enum Page: String, CaseIterable {
            case gallery
            case detail
            case orientation
            case formats
            case failures
            case cache
        }

        let widget: Widget = gtk_window_new()
        let grid: PhotoGrid
        let detail: DetailPage

        private let pages: OpaquePointer
        private let cachePage: CachePage
        private var tilePages: [Page: TilePage] = [:]

        /// Creates a window; the pages of tiles need the sample server.
        init(photos: [Photo], cache: ImageCache, server: SampleServer?) {
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
            var icons: [(page: OpaquePointer?, name: String)] = []
            func add(_ page: Page, _ widget: Widget, _ title: String, icon: String) {
                icons.append((gtk_stack_add_titled(pages, widget, page.rawValue, title), icon))
            }
            add(.gallery, grid.widget, "Gallery", icon: "view-grid-symbolic")
            gtk_stack_add_named(pages, detail.widget, Page.detail.rawValue)
            if let server {
                let orientation = OrientationPage.make(on: server)
                let formats = FormatsPage.make(on: server)
                let failures = FailuresPage.make(on: server)
                tilePages = [.orientation: orientation, .formats: formats, .failures: failures]
                add(.orientation, orientation.widget, "Orientations", icon: "object-rotate-right-symbolic")
                add(.formats, formats.widget, "Formats", icon: "image-x-generic-symbolic")
                add(.failures, failures.widget, "Failures", icon: "dialog-warning-symbolic")
            }
            add(.cache, cachePage.widget, "Caches", icon: "drive-harddisk-symbolic")
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
                // The switcher shows an icon instead of a title.
                for (page, icon) in icons { gtk_stack_page_set_icon_name(page, isNarrow ? icon : nil) }
                gtk_header_bar_set_decoration_layout(OpaquePointer(header), isNarrow ? ":close" : nil)
            }
            adapt()
            // GTK sets it whenever the window has changed its size.
            onSignal("notify::default-width", of: widget) { (_: gpointer?) in adapt() }
        }

        /// The width in points below which the pages use one column, as on a phone.
        private static let narrow: Int32 = 700

        func present() { gtk_window_present(widget.cast()) }

        /// A page of tiles.
        func tilePage(_ page: Page) -> TilePage? { tilePages[page] }

        func show(_ page: Page) { gtk_stack_set_visible_child_name(pages, page.rawValue) }
    }
#endif
