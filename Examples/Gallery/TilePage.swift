#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// A page of pictures, each with its name and what came of its load.
    @MainActor
    final class TilePage {
        struct Tile {
            let title: String
            let url: URL
        }

        let widget: Widget

        /// A line for each tile whose load has ended, by its position.
        private(set) var outcomes: [Int: String] = [:]

        private let tiles: [Tile]

        /// Below it a request without a response fails.
        private nonisolated static let timeout: TimeInterval = 8
        private static let side: Int32 = 128

        init(_ title: String, _ text: String, _ tiles: [Tile]) {
            self.tiles = tiles
            let grid: Widget = gtk_flow_box_new()
            let explanation = makeLabel(text, class: "quiet")
            gtk_label_set_wrap(OpaquePointer(explanation), 1)
            gtk_label_set_ellipsize(OpaquePointer(explanation), PANGO_ELLIPSIZE_NONE)
            let page = makeBox(
                GTK_ORIENTATION_VERTICAL, spacing: 16, class: "tiles",
                [makeLabel(title, class: "title"), explanation, grid])
            widget = gtk_scrolled_window_new()
            gtk_scrolled_window_set_policy(OpaquePointer(widget), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
            gtk_scrolled_window_set_child(OpaquePointer(widget), page)
            let box = OpaquePointer(grid)
            gtk_flow_box_set_selection_mode(box, GTK_SELECTION_NONE)
            gtk_flow_box_set_homogeneous(box, 1)
            gtk_flow_box_set_min_children_per_line(box, 2)
            gtk_flow_box_set_column_spacing(box, 12)
            gtk_flow_box_set_row_spacing(box, 18)
            gtk_widget_set_valign(grid, GTK_ALIGN_START)
            for position in tiles.indices { gtk_flow_box_insert(box, makeTile(position), -1) }
        }

        /// Whether each load has ended.
        var isFinished: Bool { outcomes.count == tiles.count }

        private func makeTile(_ position: Int) -> Widget {
            let tile = tiles[position]
            let outcome = makeLabel(class: "quiet")
            gtk_label_set_wrap(OpaquePointer(outcome), 1)
            gtk_label_set_lines(OpaquePointer(outcome), 4)
            gtk_label_set_yalign(OpaquePointer(outcome), 0)
            let end = { [weak self] (text: String) in
                outcome.text = text
                gtk_widget_set_tooltip_text(outcome, text)
                MainActor.assumeIsolated { self?.outcomes[position] = text }
            }
            let picture = KFImage(tile.url)
                .resizable().scaledToFit()
                // The server's port is another one in each run.
                .cacheMemoryOnly()
                .requestModifier { $0.timeoutInterval = Self.timeout }
                .accessibilityLabel(tile.title)
                .retryButton()
                .onSuccess { result in
                    let (size, count) = (result.image.pixelSize, result.data()?.count ?? 0)
                    end("\(size.width) × \(size.height), \((count + 512) / 1024) KB")
                }
                .onFailure { if !$0.isTaskCancelled { end($0.localizedDescription) } }
                .makeWidget()
            // An overlay does not measure what is over its child: tiles have the same size with every image.
            let space = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, class: "card", [])
            gtk_widget_set_size_request(space, Self.side, Self.side)
            let frame: Widget = gtk_overlay_new()
            gtk_overlay_set_child(OpaquePointer(frame), space)
            gtk_overlay_add_overlay(OpaquePointer(frame), picture)
            let title = makeLabel(tile.title, class: "heading")
            for label in [title, outcome] { gtk_label_set_max_width_chars(OpaquePointer(label), 1) }
            return makeBox(GTK_ORIENTATION_VERTICAL, spacing: 4, [frame, title, outcome])
        }

        /// The name and the outcome of each tile, in lines.
        var report: String {
            tiles.indices.map { "\(tiles[$0].title): \(outcomes[$0] ?? "loading")\n" }.joined()
        }
    }
#endif
