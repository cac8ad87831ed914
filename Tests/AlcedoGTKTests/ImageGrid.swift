#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    /// A grid of images in a window of 200 × 200 points, and a server of an image for each position.
    @MainActor
    final class ImageGrid {
        let loading: ViewLoading
        let results = Recorder<ViewResult>()

        /// The items of the list, a `GtkStringList`.
        let list: OpaquePointer

        /// How often an item's image was requested.
        private(set) var calls = 0

        /// The positions of the views that were bound.
        private var positions: [ObjectIdentifier: (view: Weak, position: Int)] = [:]
        private var scrolled: UnsafeMutablePointer<GtkWidget>?
        private(set) var window: Window?

        struct Weak {
            weak var view: ImageView?
        }

        /// A colour of its own for each of 16 million positions.
        nonisolated static func color(_ position: Int) -> [UInt8] {
            [UInt8(position & 255), UInt8(position >> 8 & 255), UInt8(position >> 16 & 255), 255]
        }

        /// Opens a window with a grid of `count` images; `change` changes the image of a position.
        init(
            count: Int, prefetchLimit: Int, until gate: Gate? = nil,
            change: @escaping @MainActor (KFImage, Int) -> KFImage = { image, _ in image },
            content: @MainActor (ImageCells<KFImage>) -> ImageCells<KFImage> = { $0 }
        ) throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            loading = try ViewLoading()
            list = try #require(gtk_string_list_new(nil))
            for _ in 0..<count { gtk_string_list_append(list, "") }
            loading.server.route("/p") { request in
                guard let position = request.target.split(separator: "=").last.flatMap({ Int($0) }),
                    let image = try? Sample.color(ImageGrid.color(position))
                else { return Reply(status: 404) }
                let reply = Reply(body: Array(image.kf.pngRepresentation() ?? Data()))
                return gate.map { reply.hold(.head, until: $0) } ?? reply
            }
            window = try Window(
                { ImageView() }, container: { _ in self.makeGrid(prefetchLimit, content, change) })
        }

        private func makeGrid(
            _ limit: Int, _ content: @MainActor (ImageCells<KFImage>) -> ImageCells<KFImage>,
            _ change: @escaping @MainActor (KFImage, Int) -> KFImage
        ) -> UnsafeMutablePointer<GtkWidget>? {
            let cells = ImageCells(
                of: list, size: CGSize(width: 50, height: 50), prefetchLimit: limit
            ) { [unowned self] item in
                calls += 1
                let image = loading.image(url(item.position), results).scaledToFill()
                return change(image, item.position)
                    .configure { [unowned self] view in
                        positions[ObjectIdentifier(view)] = (Weak(view: view), item.position)
                    }
            }
            let factory = content(cells).makeFactory()
            let grid = gtk_grid_view_new(gtk_no_selection_new(list), factory)
            gtk_grid_view_set_min_columns(OpaquePointer(grid), 4)
            gtk_grid_view_set_max_columns(OpaquePointer(grid), 4)
            scrolled = gtk_scrolled_window_new()
            gtk_scrolled_window_set_child(OpaquePointer(scrolled), grid)
            gtk_widget_set_size_request(scrolled, 200, 200)
            return scrolled
        }

        func url(_ position: Int) -> URL { loading.server.url("/p?n=\(position)") }

        /// Closes the window.
        func close() {
            window?.close()
            window = nil
        }

        /// The views of mapped cells by their positions.
        var visible: [Int: ImageView] {
            positions.values.reduce(into: [:]) { result, entry in
                guard let view = entry.view.view, gtk_widget_get_mapped(view.widget) != 0 else { return }
                result[entry.position] = view
            }
        }

        /// Whether each visible cell shows the image of its position.
        var isComplete: Bool {
            let visible = visible
            return !visible.isEmpty
                && visible.allSatisfy { position, view in
                    (try? view.image?.bitmap())?.bytes.prefix(4) == ImageGrid.color(position)[...]
                }
        }

        /// The positions that were requested so far.
        var requested: [Int] {
            loading.server.requests(path: "/p").compactMap { request in
                request.target.split(separator: "=").last.flatMap { Int($0) }
            }
        }

        /// The scroll position in points, and the last one.
        private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
            gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
        }

        /// Scrolls to where the item at a position is visible.
        func scroll(toItem position: Int) { activate("list.scroll-to-item", position) }

        /// Activates the item at a position, as the Enter key does.
        func activateItem(_ position: Int) { activate("list.activate-item", position) }

        /// The `GtkGridView`.
        var grid: UnsafeMutablePointer<GtkWidget>? { gtk_scrolled_window_get_child(OpaquePointer(scrolled)) }

        private func activate(_ action: String, _ position: Int) {
            gtk_widget_activate_action_variant(grid, action, g_variant_new_uint32(guint32(position)))
        }

        /// The visible positions and the requests, for failures.
        var state: String { "visible \(visible.keys.sorted()), requested \(requested.sorted())" }

        /// Runs until something is so, and each visible cell shows the image of its position.
        func settle(until condition: () -> Bool = { true }) async throws {
            try await window?.run(until: { isComplete && condition() }, state: { state })
        }

        /// Scrolls to a fraction of the list's height.
        func scroll(to fraction: Double) {
            let last = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
            gtk_adjustment_set_value(adjustment, last * fraction)
        }
    }

    extension Sample {
        /// Four by four pixels of one colour.
        static func color(_ pixel: [UInt8]) throws -> Image { try plain(4, 4, pixel[0], pixel[1], pixel[2]) }
    }
#endif
