#if GTK
    import AlcedoGTK
    import CGtk4
    import Testing

    @MainActor
    struct `A view's widget` {
        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
        }

        @Test func `a view's widget keeps its view alive while it has a parent`() throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            g_object_ref_sink(box)
            weak var view: ImageView?
            weak var button: Button?
            do {
                let (newView, newButton) = (ImageView(), Button())
                (view, button) = (newView, newButton)
                gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), newView.widget)
                gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), newButton.widget)
            }
            #expect(view != nil && button != nil)
            if let widget = view?.widget {
                gtk_box_remove(UnsafeMutablePointer(OpaquePointer(box)), widget)
            }
            #expect(view == nil && button != nil)
            g_object_unref(box)
            #expect(button == nil)
        }

        @Test func `a view on an existing picture is not kept by it`() throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            g_object_ref_sink(box)
            defer { g_object_unref(box) }
            let picture = try #require(gtk_picture_new())
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), picture)
            weak var view: ImageView?
            do {
                let newView = ImageView(picture: picture)
                view = newView
            }
            #expect(view == nil)
        }

        @Test func `a view's widget has the accessible label of its view`() throws {
            let view = ImageView()
            let surface = try #require(view.surface as? WidgetSurface)
            let content = OpaquePointer(surface.content)
            func hasLabel() -> Bool {
                gtk_test_accessible_has_property(content, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0
            }
            #expect(!hasLabel())
            view.accessibilityLabel = "A kingfisher"
            #expect(hasLabel())
            view.accessibilityLabel = nil
            #expect(!hasLabel())
        }
    }
#endif
