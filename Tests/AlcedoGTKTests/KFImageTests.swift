#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A declared image in GTK` {
        private let loading: ViewLoading
        private let results = Recorder<ViewResult>()

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            loading = try ViewLoading()
        }

        private func image(_ url: URL?) -> KFImage { loading.image(url, results) }

        @Test func `a declared image loads when its widget is mapped, and is drawn`() async throws {
            let bitmap = try Sample.translucent(31, 17)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            let other = loading.serve(Image(bitmap: bitmap), at: "/b")
            let widget = image(url).makeWidget()
            let early = image(other).startLoadingBeforeViewAppear().makeView()
            await results.waitFor(count: 1)
            #expect(loading.server.requestCount(path: "/a") == 0 && early.image != nil)
            let window = try Window {
                early
            } container: { _ in
                widget
            }
            try await window.run { results.count == 2 }
            try await window.run { try window.drawn(widget)?.pixels == bitmap.bytes }
        }

        @Test
        func `a declared image is cancelled while its window is hidden, and loads again`() async throws {
            let gate = Gate()
            let bitmap = try Sample.translucent(9, 9)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            let window = try Window { image(url).cancelOnDisappear(true).fade(duration: 0.05).makeView() }
            await loading.server.waitForRequests(1)
            window.setVisible(false)
            #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
            window.setVisible(true)
            gate.open()
            try await window.run { results.count == 2 }
            try await window.run { try window.drawn()?.pixels == bitmap.bytes }
        }

        @Test func `a declared image ends with its widget, whatever it is doing`() async throws {
            let never = Gate()
            defer { never.open() }
            let url = loading.serve(try Sample.plain(4, 4, 1, 2, 3), at: "/never", until: never)
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            weak var view: ImageView?
            let widget = image(url).placeholder { gtk_spinner_new() }.configure { view = $0 }.makeWidget()
            #expect(view != nil, "the floating reference is enough")
            let window = try Window {
                ImageView()
            } container: { _ in
                box
            }
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), widget)
            try await window.run { loading.server.requestCount() == 1 }
            window.close()
            #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
            while view != nil { await Task.yield() }
        }

        @Test func `a declared image moves to another container`() async throws {
            let gate = Gate()
            let bitmap = try Sample.translucent(9, 9)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            let (first, second) = (
                try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)),
                try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            )
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(first)), second)
            let widget = image(url).makeWidget()
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(first)), widget)
            let window = try Window {
                ImageView()
            } container: { _ in
                first
            }
            try await window.run { loading.server.requestCount() == 1 }
            g_object_ref(widget)
            gtk_box_remove(UnsafeMutablePointer(OpaquePointer(first)), widget)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(second)), widget)
            g_object_unref(widget)
            gate.open()
            try await window.run { results.count == 1 }
            #expect(try results.values[0].get().image.pixelSize.width == 9)
            try await window.run { try window.drawn(widget)?.pixels == bitmap.bytes }
        }

        @Test func `a declared image has a failure view in front until it is loaded`() async throws {
            let bitmap = try Sample.translucent(20, 20)
            loading.server.serve(
                "/a", Reply(status: 404),
                Reply(body: Array(try #require(Image(bitmap: bitmap).kf.pngRepresentation()))))
            var failure: UnsafeMutablePointer<GtkWidget>?
            let image = image(loading.server.url("/a"))
                .placeholder { gtk_spinner_new() }
                .onFailureView {
                    failure = gtk_label_new("No image")
                    gtk_widget_set_valign(failure, GTK_ALIGN_END)
                    return failure
                }
            let window = try Window { image.makeView() }
            try await window.run { results.count == 1 }
            let label = try #require(failure)
            _ = try window.drawn()
            #expect(gtk_widget_get_mapped(label) != 0 && gtk_widget_get_valign(label) == GTK_ALIGN_END)
            g_object_ref(label)
            defer { g_object_unref(label) }
            window.setVisible(false)
            window.setVisible(true)
            #expect(gtk_widget_get_parent(label) == nil)
            try await window.run { results.count == 2 }
            try await window.run { try window.drawn()?.pixels == bitmap.bytes }
        }

        @Test func `a declared image without a URL fails once, and shows nothing`() async throws {
            let window = try Window { image(nil).makeView() }
            try await window.run { results.count == 1 }
            window.setVisible(false)
            window.setVisible(true)
            #expect(try window.drawn() == nil && results.count == 1)
        }

        @Test func `a declared image has its natural size, unless it is resizable`() async throws {
            let url = loading.serve(try Sample.plain(50, 20, 1, 2, 3), at: "/a")
            let natural = try Window { image(url).makeView() }
            let fitted = try Window { image(url).resizable().scaledToFill().makeView() }
            try await natural.run { results.count == 2 }
            #expect(minimum(natural.view) == CGSize(width: 50, height: 20))
            #expect(minimum(fitted.view) == .zero)
            #expect(try fit(natural.view) == GTK_CONTENT_FIT_SCALE_DOWN)
            #expect(try fit(fitted.view) == GTK_CONTENT_FIT_COVER)
            #expect(try fit(image(url).resizable().makeView()) == GTK_CONTENT_FIT_CONTAIN)
        }

        @Test func `a declared image plays an animation frame by frame, and has a label`() async throws {
            let data = try Data(contentsOf: Fixture.url("gif/fire.gif"))
            let cache = try ImageCache(name: "fire", cacheDirectoryURL: loading.folder.url)
            let image = KFAnimatedImage.data(data, cacheKey: "fire").targetCache(cache)
            let view = image.accessibilityLabel("A fire").makeView()
            let window = try Window { view }
            try await window.run { (view.animator?.currentFrameIndex ?? 0) > 1 }
            let content = try #require(view.surface as? WidgetSurface).content
            #expect(
                gtk_test_accessible_has_property(
                    OpaquePointer(content), GTK_ACCESSIBLE_PROPERTY_LABEL) != 0)
        }

        private func minimum(_ view: ImageView) -> CGSize {
            var size = GtkRequisition()
            gtk_widget_get_preferred_size(view.widget, &size, nil)
            return CGSize(width: Int(size.width), height: Int(size.height))
        }

        private func fit(_ view: ImageView) throws -> GtkContentFit {
            gtk_picture_get_content_fit(
                OpaquePointer(try #require(view.surface as? WidgetSurface).content))
        }
    }
#endif
