#if GTK
    @testable import AlcedoGTK
    import AlcedoRaster
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A paintable that loads` {
        private let loading: ViewLoading
        private let results = Recorder<ViewResult>()

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            loading = try ViewLoading()
        }

        /// A window with square images of these sizes in a column, which show a paintable.
        private func window(
            showing paintable: OpaquePointer, sizes: [Int]
        ) throws -> (window: Window, pictures: [UnsafeMutablePointer<GtkWidget>]) {
            let pictures = try sizes.map { size in
                let image = try #require(gtk_image_new_from_paintable(paintable))
                gtk_image_set_pixel_size(OpaquePointer(image), Int32(size))
                gtk_widget_set_halign(image, GTK_ALIGN_CENTER)
                return image
            }
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            for picture in pictures { gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), picture) }
            let window = try Window {
                ImageView()
            } container: { _ in
                box
            }
            return (window, pictures)
        }

        @Test
        func `a picture with only a loading paintable's handle draws the image's pixels in their size`()
            async throws
        {
            let bitmap = try Sample.translucent(31, 17)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            let picture = try #require(
                gtk_picture_new_for_paintable(loading.image(url, results).makePaintable().handle))
            let window = try Window {
                ImageView()
            } container: { _ in
                picture
            }
            try await window.run { try window.drawn(picture)?.pixels == bitmap.bytes }
            let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
            #expect(gdk_paintable_get_intrinsic_width(paintable) == 31)
            #expect(gdk_paintable_get_intrinsic_height(paintable) == 17)
            #expect(try results.values.first?.get().image.size == CGSize(width: 31, height: 17))
        }

        @Test func `a loading paintable is decoded once for each size at which it is drawn`() async throws {
            let bitmap = try Sample.translucent(200, 200)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            let paintable = loading.image(url, results).makePaintable()
            let (window, pictures) = try window(showing: paintable.handle, sizes: [20, 50])
            for (picture, side) in zip(pictures, [20, 50]) {
                let expected = try bitmap.resized(to: PixelSize(width: side, height: side)).bytes
                try await window.run { try window.drawn(picture)?.pixels == expected }
            }
            gtk_image_set_pixel_size(OpaquePointer(pictures[1]), 40)
            let smaller = try bitmap.resized(to: PixelSize(width: 40, height: 40)).bytes
            try await window.run { try window.drawn(pictures[1])?.pixels == smaller }
            let changes = Changes()
            var signals = Signals(of: UnsafeMutableRawPointer(paintable.handle))
            signals.connect("invalidate-contents", Unmanaged.passUnretained(changes).toOpaque()) {
                _, changes in
                guard let changes else { return }
                Unmanaged<Changes>.fromOpaque(changes).takeUnretainedValue().count += 1
            }
            for _ in 0..<10 {
                for picture in pictures { gtk_widget_queue_draw(picture) }
                _ = try window.drawn(pictures[0])
                await Task.yield()
            }
            #expect(changes.count == 0, "what is drawn stays")
            withExtendedLifetime(signals) {}
        }

        @Test func `a loading paintable covers or fits what draws it, as its content mode says`() async throws
        {
            let bitmap = try Sample.translucent(40, 20)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            let cover = loading.image(url, results).scaledToFill().makePaintable()
            let window = try Window { ImageView() }
            let wide = try bitmap.resized(to: PixelSize(width: 20, height: 10)).bytes
            let expected = (0..<10).flatMap { (row: Int) -> ArraySlice<UInt8> in
                let start = (row * 20 + 5) * 4
                return wide[start..<start + 40]
            }
            try await window.run {
                try window.pixels(of: cover.handle, width: 10, height: 10) == expected
            }
            let fit = loading.image(url, results).makePaintable()
            let empty = [UInt8](repeating: 0, count: 20 * 5 * 4)
            try await window.run {
                try window.pixels(of: fit.handle, width: 20, height: 20) == empty + wide + empty
            }
        }

        @Test func `a loading paintable with a size is a frame that layout respects`() async throws {
            let bitmap = try Sample.translucent(80, 40)
            let gate = Gate()
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            let paintable = loading.image(url, results).scaledToFill()
                .makePaintable(size: CGSize(width: 30, height: 20))
            let picture = try #require(gtk_picture_new_for_paintable(paintable.handle))
            gtk_picture_set_can_shrink(OpaquePointer(picture), 0)
            gtk_widget_set_halign(picture, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(picture, GTK_ALIGN_CENTER)
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_widget_set_size_request(box, 150, 100)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), picture)
            gtk_widget_set_vexpand(picture, 1)
            let window = try Window {
                ImageView()
            } container: { _ in
                box
            }
            func size() -> [Int32] { [gtk_widget_get_width(picture), gtk_widget_get_height(picture)] }
            try await window.run { size() == [30, 20] }
            gate.open()
            let wide = try bitmap.resized(to: PixelSize(width: 40, height: 20))
            let expected = try wide.cropped(x: 5, y: 0, width: 30, height: 20).bytes
            try await window.run { try window.drawn(picture)?.pixels == expected }
            #expect(size() == [30, 20])
        }

        @Test func `a loading paintable draws its placeholder until the image is there, and after a failure`()
            async throws
        {
            let gate = Gate()
            let bitmap = try Sample.translucent(8, 8)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            let placeholder = try await Sample.plain(4, 4, 9, 8, 7).kf.texture()
            let paintable = loading.image(url, results).makePaintable(placeholder: placeholder.handle)
            let window = try Window { ImageView() }
            let expected = try Sample.plain(4, 4, 9, 8, 7).bitmap().bytes
            #expect(gdk_paintable_get_intrinsic_width(paintable.handle) == 4)
            #expect(try window.pixels(of: paintable.handle, width: 4, height: 4) == expected)
            gate.open()
            try await window.run {
                try window.pixels(of: paintable.handle, width: 8, height: 8) == bitmap.bytes
            }
            loading.server.serve("/missing", Reply.status(404))
            let failing = loading.image(loading.server.url("/missing"), results)
                .makePaintable(placeholder: placeholder.handle)
            try await window.run { results.values.contains { $0.error != nil } }
            #expect(try window.pixels(of: failing.handle, width: 4, height: 4) == expected)
        }

        @Test func `a loading paintable plays an animation only while it is drawn`() async throws {
            let data = try Data(contentsOf: Fixture.url("gif/fire.gif"))
            let cache = try ImageCache(name: "fire", cacheDirectoryURL: loading.folder.url)
            weak var view: AnimatedImageView?
            let paintable = KFAnimatedImage.data(data, cacheKey: "fire").targetCache(cache)
                .configure { view = $0 }.makePaintable()
            let (window, pictures) = try window(showing: paintable.handle, sizes: [30])
            try await window.run { view?.isAnimating == true }
            let first = try window.drawn(pictures[0])?.pixels
            try await window.run { try window.drawn(pictures[0])?.pixels != first }
            window.setVisible(false)
            try await window.run { view?.isAnimating == false }
            window.setVisible(true)
            try await window.run { view?.isAnimating == true }
        }

        @Test func `a loading paintable cancels its load and ends with what shows it`() async throws {
            let never = Gate()
            defer { never.open() }
            let url = loading.serve(try Sample.plain(4, 4, 1, 2, 3), at: "/never", until: never)
            weak var view: ImageView?
            var paintable: LoadingPaintable? = loading.image(url, results).configure { view = $0 }
                .makePaintable()
            let picture = try #require(gtk_picture_new_for_paintable(paintable?.handle))
            g_object_ref_sink(picture)
            await loading.server.waitForRequests(1)
            paintable = nil
            let late = Task { @MainActor in view != nil }
            #expect(await late.value, "the picture keeps it")
            g_object_unref(picture)
            #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
            while view != nil { await Task.yield() }
        }

        @Test func `a loading paintable ends on the main thread if another thread releases it`() async throws
        {
            let never = Gate()
            defer { never.open() }
            let url = loading.serve(try Sample.plain(4, 4, 1, 2, 3), at: "/never", until: never)
            weak var view: ImageView?
            var paintable: LoadingPaintable? = loading.image(url, results).configure { view = $0 }
                .makePaintable()
            let handle = try #require(paintable?.handle)
            g_object_ref(UnsafeMutableRawPointer(handle))
            paintable = nil
            // After what its end has queued.
            await Task { @MainActor in }.value
            let ending = Ending()
            g_object_set_data_full(
                UnsafeMutablePointer(handle), "test", Unmanaged.passUnretained(ending).toOpaque()
            ) { ending in
                guard let ending else { return }
                let isMain = isOnMain
                Unmanaged<Ending>.fromOpaque(ending).takeUnretainedValue().isOnMain.append(isMain)
            }
            let address = UInt(bitPattern: handle)
            Thread.detachNewThread { g_object_unref(UnsafeMutableRawPointer(bitPattern: address)) }
            #expect(await ending.isOnMain.waitFor(count: 1) == [true])
            #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
            while view != nil { await Task.yield() }
        }

        @Test func `a loading paintable retains the settings that it observes`() throws {
            let settings = try #require(gtk_settings_get_default())
            let object = UnsafeMutablePointer<GObject>(settings)
            let count = object.pointee.ref_count
            var surface: PaintableSurface? = PaintableSurface(placeholder: nil)
            #expect(surface?.allowsAnimations != nil && object.pointee.ref_count == count + 1)
            surface = nil
            #expect(object.pointee.ref_count == count)
        }
    }

    private final class Ending: Sendable {
        let isOnMain = Recorder<Bool>()
    }

    private final class Changes {
        var count = 0
    }
#endif
