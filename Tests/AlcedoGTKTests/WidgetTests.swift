#if GTK
    @testable import AlcedoGTK
    import CGtk4
    import Foundation
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

        @Test func `a view's widget can be returned by a function that creates the view`() throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            g_object_ref_sink(box)
            weak var view: ImageView?
            weak var button: Button?
            weak var declared: ImageView?
            func makeView() throws -> UnsafeMutablePointer<GtkWidget> {
                let new = ImageView()
                new.image = try Sample.plain(4, 3, 1, 2, 3)
                view = new
                return new.widget
            }
            func makeButton() -> UnsafeMutablePointer<GtkWidget> {
                let new = Button()
                button = new
                return new.widget
            }
            func makeDeclared() -> UnsafeMutablePointer<GtkWidget> {
                let new = KFImage(nil as URL?).makeView()
                declared = new
                return new.widget
            }
            let widgets = [try makeView(), makeButton(), makeDeclared()]
            #expect(view?.image != nil && button != nil && declared != nil)
            for widget in widgets {
                #expect(g_object_is_floating(widget) != 0)
                gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), widget)
                #expect(g_object_is_floating(widget) == 0)
            }
            #expect(view?.widget == widgets[0] && view != nil)
            g_object_unref(box)
            #expect(view == nil && button == nil && declared == nil, "nothing leaks")
        }

        @Test func `a view goes with its last reference if nobody has asked for its widget`() throws {
            weak var view: ImageView?
            do {
                let new = ImageView()
                view = new
            }
            #expect(view == nil)
        }

        @Test func `the main queue has no higher priority than drawing`() {
            #expect(MainQueue.priority >= gint(GDK_PRIORITY_REDRAW))
        }

        @Test func `a view on an existing picture lives as long as that, or until the next view on it`()
            throws
        {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            g_object_ref_sink(box)
            let picture = try #require(gtk_picture_new())
            weak var first: ImageView?
            weak var second: ImageView?
            do {
                let view = ImageView(picture: picture)
                view.image = try Sample.plain(4, 3, 1, 2, 3)
                first = view
            }
            #expect(g_object_is_floating(picture) != 0 && first?.image != nil)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), picture)
            #expect(g_object_is_floating(picture) == 0 && first != nil)
            do {
                let view = ImageView(picture: picture)
                second = view
            }
            #expect(first == nil && second != nil)
            g_object_unref(box)
            #expect(second == nil)
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
