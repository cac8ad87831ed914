#if GTK
    @testable import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The content of cells` {
        /// The texts of the visible labels in a widget.
        private func texts(_ widget: UnsafeMutablePointer<GtkWidget>?) -> [String] {
            guard let widget, gtk_widget_get_visible(widget) != 0 else { return [] }
            if let text = UnsafeMutableRawPointer(widget).isLabel
                ? gtk_label_get_text(OpaquePointer(widget)) : nil
            {
                return [String(cString: text)]
            }
            var (texts, child) = ([String](), gtk_widget_get_first_child(widget))
            while let present = child {
                texts += self.texts(present)
                child = gtk_widget_get_next_sibling(present)
            }
            return texts
        }

        /// The cell of a view: its image and its labels.
        private func cell(of view: ImageView) -> UnsafeMutablePointer<GtkWidget>? {
            gtk_widget_get_parent(gtk_widget_get_parent(view.widget))
        }

        private func caption(_ position: Int) -> ImageCaption {
            ImageCaption(
                title: "Item \(position)", subtitle: position.isMultiple(of: 2) ? "even" : "odd",
                badge: position == 999 ? "last" : nil)
        }

        @Test(arguments: [ImageCaption.Placement.below, .beside])
        func `a cell has the caption of its item, also after scrolling`(
            _ placement: ImageCaption.Placement
        ) async throws {
            let grid = try ImageGrid(
                count: 1000, prefetchLimit: 0,
                content: { cells in cells.caption(placement) { caption($0.position) } })
            try await grid.settle()
            #expect(texts(cell(of: try #require(grid.visible[0]))).sorted() == ["Item 0", "even"])
            grid.scroll(toItem: 999)
            try await grid.settle { grid.visible[999] != nil }
            #expect(Set(texts(cell(of: try #require(grid.visible[999])))) == ["Item 999", "odd", "last"])
            for (position, view) in grid.visible {
                #expect(texts(cell(of: view)).contains("Item \(position)"))
            }
        }

        @Test func `a click on a cell calls the block with its item, once`() async throws {
            let clicks = Recorder<Int>()
            let grid = try ImageGrid(
                count: 1000, prefetchLimit: 0,
                content: { cells in cells.onClick { clicks.append($0.position) } })
            try await grid.settle()
            #expect(gtk_grid_view_get_single_click_activate(OpaquePointer(grid.grid)) != 0)
            grid.activateItem(3)
            grid.scroll(toItem: 999)
            try await grid.settle { grid.visible[999] != nil }
            grid.activateItem(997)
            #expect(clicks.values == [3, 997])
        }

        @Test func `a grid view with another factory calls the click block of that one, once`() async throws {
            let clicks = Recorder<String>()
            let grid = try ImageGrid(
                count: 10, prefetchLimit: 0,
                content: { cells in cells.onClick { _ in clicks.append("first") } })
            try await grid.settle()
            let view = OpaquePointer(try #require(grid.grid))
            let first = try #require(gtk_grid_view_get_factory(view))
            g_object_ref(UnsafeMutableRawPointer(first))
            let cells = ImageCells(of: grid.list, size: CGSize(width: 50, height: 50)) { _ in
                KFImage(nil as URL?)
            }
            let second = cells.onClick { _ in clicks.append("second") }.makeFactory()
            let silent = cells.makeFactory()
            let factories = [second, silent, first, second]
            let expected = [["second"], ["second"], ["second", "first"], ["second", "first", "second"]]
            for (factory, expected) in zip(factories, expected) {
                gtk_grid_view_set_factory(view, factory)
                _ = try grid.window?.drawn()
                grid.activateItem(3)
                #expect(clicks.values == expected)
                #expect(gtk_grid_view_get_single_click_activate(view) == (factory == silent ? 0 : 1))
            }
            for factory in [first, second, silent] { g_object_unref(UnsafeMutableRawPointer(factory)) }
        }

        @Test func `a list prefetches nothing before the visible images are there`() {
            var made: [Int] = []
            let ahead = PrefetchAhead(limit: 6) { position in
                made.append(position)
                return nil
            }
            ahead.move(to: 0...9, count: 100, loading: true)
            #expect(made.isEmpty)
            ahead.move(to: 0...9, count: 100, loading: false)
            #expect(made == Array(10..<16))
        }

        @Test func `a failed image has a button that loads it again`() async throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            let loading = try ViewLoading()
            let results = Recorder<ViewResult>()
            let bitmap = try Sample.translucent(9, 9)
            let body = Array(try #require(Image(bitmap: bitmap).kf.pngRepresentation()))
            loading.server.serve("/a", Reply.status(500), Reply(body: body))
            let window = try Window {
                loading.image(loading.server.url("/a"), results).retryButton("Again").makeView()
            }
            try await window.run { results.count == 1 }
            let content = try #require(window.view.surface as? WidgetSurface).content
            let button = try #require(gtk_widget_get_next_sibling(content))
            #expect(
                gtk_test_accessible_has_property(OpaquePointer(button), GTK_ACCESSIBLE_PROPERTY_LABEL) != 0)
            #expect(gtk_widget_activate(button) != 0)
            try await window.run { results.count == 2 }
            try await window.run { try window.drawn()?.pixels == bitmap.bytes }
            #expect(gtk_widget_get_next_sibling(content) == nil)
            window.view.retry()
            #expect(loading.server.requestCount() == 2, "it has not failed")
        }
    }

    extension UnsafeMutableRawPointer {
        fileprivate var isLabel: Bool {
            g_type_check_instance_is_a(assumingMemoryBound(to: GTypeInstance.self), gtk_label_get_type()) != 0
        }
    }
#endif
