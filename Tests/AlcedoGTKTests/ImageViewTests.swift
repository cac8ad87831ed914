#if GTK
    import Alcedo
    import AlcedoGTK
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `An image view in a window` {
        private let window: Window
        private var view: ImageView { window.view }

        init() throws {
            window = try Window { ImageView() }
        }

        @Test func `an image view draws exactly its image, and another one once that is set`() throws {
            for bitmap in [try Sample.translucent(61, 40), try Sample.translucent(20, 33)] {
                let image = Image(bitmap: bitmap)
                view.image = image
                #expect(view.image === image)
                let drawn = try #require(try window.drawn())
                #expect(drawn.width == bitmap.width && drawn.height == bitmap.height)
                #expect(drawn.pixels == bitmap.bytes)
            }
        }

        @Test func `an image view draws nothing without an image`() throws {
            #expect(view.image == nil)
            view.image = Image(bitmap: try Sample.translucent(5, 5))
            #expect(try window.drawn() != nil)
            view.image = nil
            #expect(try window.drawn() == nil)
        }

        @Test func `an image view draws nothing for an image that cannot be drawn`() throws {
            view.image = Image(bitmap: try Sample.translucent(5, 5))
            #expect(try window.drawn() != nil)
            view.image = Image(bitmap: try Sample.translucent(40_000, 1))
            #expect(try window.drawn() == nil)
        }

        @Test func `an image view is as large as its image in points and keeps all pixels`() throws {
            let bitmap = try Sample.translucent(60, 42)
            view.image = Image(bitmap: bitmap, scale: 2)
            let drawn = try #require(try window.drawn())
            #expect(drawn.width == 30 && drawn.height == 21)
            #expect(try window.paintablePixels(width: 60, height: 42) == bitmap.bytes)
        }

        @Test func `an image view frees the pixels of an image that it no longer shows`() async throws {
            weak var bitmap: Bitmap?
            try {
                let pixels = try Sample.translucent(9, 9)
                bitmap = pixels
                view.image = Image(bitmap: pixels, scale: 3)
                #expect(try window.drawn() != nil)
            }()
            #expect(bitmap != nil)
            view.image = nil
            // The frame that shows them is GTK's until the next one is painted.
            try await window.run { bitmap == nil }
        }

        @Test
        func `an image view shows its image in a picture that exists, and owns no more than a reference`()
            throws
        {
            let picture = try #require(gtk_picture_new())
            g_object_ref_sink(picture)
            var view: ImageView? = ImageView(picture: picture)
            weak let kept = view
            #expect(view?.widget == picture)
            #expect(picture.referenceCount == 2)
            view?.image = Image(bitmap: try Sample.translucent(4, 3))
            #expect(gdk_paintable_get_intrinsic_width(gtk_picture_get_paintable(OpaquePointer(picture))) == 4)
            view = nil
            #expect(picture.referenceCount == 2 && kept != nil)
            g_object_unref(picture)
            #expect(kept == nil)
        }
    }

    extension UnsafeMutablePointer<GtkWidget> {
        fileprivate var referenceCount: Int {
            withMemoryRebound(to: GObject.self, capacity: 1) { Int($0.pointee.ref_count) }
        }
    }
#endif
