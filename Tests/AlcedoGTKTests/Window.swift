#if GTK
    import AlcedoGTK
    import CGtk4
    import Testing

    /// A window on the test's display, with an image view in its middle at the view's natural size.
    @MainActor
    final class Window {
        let view: ImageView

        private let handle: UnsafeMutablePointer<GtkWindow>
        private var isOpen = true

        /// Opens a window for `makeView()`, which is called once GTK is ready, on the test's display or another one.
        ///
        /// The window's child is the view's widget, or what `container` says that it is in.
        init(
            on display: OpaquePointer? = nil,
            _ makeView: () throws -> ImageView,
            container: (ImageView) -> UnsafeMutablePointer<GtkWidget>? = { $0.widget }
        ) throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            view = try makeView()
            handle = UnsafeMutablePointer(OpaquePointer(gtk_window_new()))
            if let display { gtk_window_set_display(handle, display) }
            let child = container(view)
            gtk_widget_set_halign(child, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(child, GTK_ALIGN_CENTER)
            gtk_window_set_default_size(handle, 200, 200)
            gtk_window_set_child(handle, child)
            gtk_window_present(handle)
        }

        isolated deinit { close() }

        /// Destroys the window with the widgets in it.
        func close() {
            if isOpen { gtk_window_destroy(handle) }
            isOpen = false
        }

        /// Has the window have a size in application pixels.
        func resize(_ width: Int, _ height: Int) {
            gtk_window_set_default_size(handle, Int32(width), Int32(height))
        }

        /// Hides the window or shows it again.
        func setVisible(_ isVisible: Bool) {
            gtk_widget_set_visible(UnsafeMutablePointer(OpaquePointer(handle)), isVisible ? 1 : 0)
        }

        /// Lets GLib and the main queue work in turns until something is so, for five minutes at most.
        ///
        /// A failure prints `state`.
        func run(until condition: () throws -> Bool, state: () -> String = { "" }) async throws {
            let deadline = ContinuousClock.now + .seconds(300)
            while try !condition() {
                try #require(ContinuousClock.now < deadline, "it did not come to pass in time: \(state())")
                g_main_context_iteration(nil, 0)
                await Task.yield()
            }
        }

        /// All the pixels of a paintable when drawn at `width` × `height`; nil where it draws nothing.
        func pixels(of paintable: OpaquePointer?, width: Int, height: Int) throws -> [UInt8]? {
            try waitForFrame()
            guard let texture = rendered(paintable, width: Int32(width), height: Int32(height)) else {
                return nil
            }
            defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
            return downloaded(texture)
        }

        /// What the view draws: nil for nothing, or its size in application pixels and all its pixels.
        ///
        /// Waits for a frame first.
        func drawn() throws -> (width: Int, height: Int, pixels: [UInt8])? { try drawn(view.widget) }

        /// What a widget of the window draws, as ``drawn()``.
        func drawn(
            _ widget: UnsafeMutablePointer<GtkWidget>
        ) throws -> (width: Int, height: Int, pixels: [UInt8])? {
            try waitForFrame()
            let paintable = gtk_widget_paintable_new(widget)
            defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
            let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
            guard let texture = rendered(paintable, width: width, height: height) else { return nil }
            defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
            return (Int(width), Int(height), downloaded(texture))
        }

        /// All the pixels of the view's paintable when drawn at `width` × `height`.
        func paintablePixels(width: Int, height: Int) throws -> [UInt8] {
            let picture = try #require(view.surface as? WidgetSurface).content
            let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
            return try #require(try pixels(of: paintable, width: width, height: height))
        }

        /// The pixel in the middle of a widget of the window.
        func middlePixel(of widget: UnsafeMutablePointer<GtkWidget>) throws -> [UInt8] {
            let paintable = gtk_widget_paintable_new(widget)
            defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
            try waitForFrame()
            let (width, height) = (Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget)))
            let pixels = try #require(try pixels(of: paintable, width: width, height: height))
            let middle = (height / 2 * width + width / 2) * 4
            return Array(pixels[middle..<middle + 4])
        }

        private func rendered(_ paintable: OpaquePointer?, width: Int32, height: Int32) -> OpaquePointer? {
            let renderer = gtk_native_get_renderer(OpaquePointer(handle))
            let snapshot = gtk_snapshot_new()
            gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
            guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
            defer { gsk_render_node_unref(node) }
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
            return gsk_renderer_render_texture(renderer, node, &bounds)
        }

        /// Iterates the main context until all that was changed has been painted, for five minutes at most.
        private func waitForFrame() throws {
            let progress = Progress()
            let context = Unmanaged.passUnretained(progress).toOpaque()
            let deadline = g_timeout_add(
                300_000,
                { context in
                    Progress.of(context).isLate = true
                    return 1
                },
                context
            )
            let ticks = gtk_widget_add_tick_callback(
                UnsafeMutablePointer(OpaquePointer(handle)),
                { widget, _, context in
                    if gtk_widget_get_mapped(widget) != 0 { Progress.of(context).frames += 1 }
                    return 1
                },
                context,
                nil
            )
            defer {
                gtk_widget_remove_tick_callback(UnsafeMutablePointer(OpaquePointer(handle)), ticks)
                g_source_remove(deadline)
            }
            // A frame starts with the callback and ends with painting.
            while progress.frames < 2 && !progress.isLate { g_main_context_iteration(nil, 1) }
            try #require(!progress.isLate, "no frame was painted in time")
        }
    }

    private final class Progress {
        var frames = 0
        var isLate = false

        static func of(_ context: gpointer?) -> Progress {
            guard let context else { preconditionFailure("GTK lost the context") }
            return Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue()
        }
    }
#endif
