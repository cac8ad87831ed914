#if GTK
    @testable import AlcedoGTK
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The scale of a widget` {
        @Test func `a widget's fractional scale is a property that only later versions of GTK have`() throws {
            try #require(gtk_init_check() != 0)
            let adjustment = try #require(gtk_adjustment_new(1.25, 0, 2, 0, 0, 0))
            let object = UnsafeMutableRawPointer(adjustment)
            g_object_ref_sink(object)
            defer { g_object_unref(object) }
            #expect(object.double(property: "value") == 1.25)
            #expect(object.double(property: "scale") == nil)
            let window = try Window { ImageView() }
            let surface = try #require(gtk_native_get_surface(gtk_widget_get_native(window.view.widget)))
            let scale = UnsafeMutableRawPointer(surface).double(property: "scale")
            #expect((scale != nil) == (gtk_check_version(4, 12, 0) == nil))
            #expect(UnsafeMutableRawPointer(surface).double(property: "scale-factor") == nil, "it is an int")
        }

        @Test(arguments: [(1.25, 51), (1.5, 61), (2, 81)] as [(CGFloat, Int)])
        func `a widget's scale may be a fraction, and all pixels are decoded`(scale: CGFloat, side: Int)
            async throws
        {
            let window = try Window { ImageView() }
            let paintable = ImagePaintable()
            paintable.displaySize = { (CGSize(width: 40.2, height: 40.2), scale) }
            let data = try #require(
                try Sample.plain(400, 400, 9, 9, 9).kf.jpegRepresentation(compressionQuality: 1))
            paintable.show(try Image(decoding: data))
            try await window.run { paintable.texture != nil }
            let texture = try #require(paintable.texture)
            #expect(gdk_texture_get_width(texture.handle) == side)
        }
    }
#endif
